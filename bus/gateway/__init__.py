"""The bus over WebSockets: how do browsers and games in other languages take part?"""
