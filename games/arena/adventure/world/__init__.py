"""What does an area of an adventure contain: terrain, player, people, enemies, events?"""
