"""What are all panels made with: Qt, painting, colours, texts?"""
