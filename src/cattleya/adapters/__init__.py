"""Learned models in: each library's trees as plain values. Nothing else imports a library."""
