"""The papers' claims: rules that judge them, and the page that says what was reproduced."""
