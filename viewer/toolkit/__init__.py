"""What all panels are made with: Qt, painting helpers, colours, texts of times and numbers."""
