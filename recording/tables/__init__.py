"""How is a recording read as tables for pandas, Arrow and Parquet?"""
