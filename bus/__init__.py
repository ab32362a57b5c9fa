"""The bus: every tool on the same instant, in this process, in another, in any language."""
