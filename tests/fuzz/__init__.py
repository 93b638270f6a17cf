"""Readers put to input that nobody controls: ``make fuzz``, docs/reliability.md."""
