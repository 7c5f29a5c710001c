"""Other rows and regions: counterfactuals, fairness, general reasons."""
