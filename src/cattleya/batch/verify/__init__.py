"""Every answer in a result file proved or asked again."""
