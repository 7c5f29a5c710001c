"""The native core, asked directly."""
