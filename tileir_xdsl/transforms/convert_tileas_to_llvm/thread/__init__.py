"""What the program of one thread is made of: its values, its builder, and what memory it has."""
