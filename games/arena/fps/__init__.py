"""The shooting hall: a first-person arena with several agents."""
