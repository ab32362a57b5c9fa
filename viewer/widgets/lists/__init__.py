"""Lists of rows: texts, thousands of rows, and rows that lead to a frame."""
