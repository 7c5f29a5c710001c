"""Made-up tables for the examples: people and incomes, defendants, mails."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["defendants", "mails", "people"]


def people(rows: int = 2000, seed: int = 0) -> pd.DataFrame:
    """Return people with some columns of the census table `adult`, and what they earn."""
    draw = np.random.default_rng(seed)
    age, years = draw.integers(18, 71, rows), draw.integers(7, 17, rows)
    hours = draw.choice([20, 35, 40, 40, 40, 50, 60], rows)
    married = draw.random(rows) < np.minimum(age / 80, 0.7)
    sex = draw.choice(["Female", "Male"], rows)
    job = draw.choice(["Clerical", "Craft", "Manager", "Professional", "Sales", "Service"], rows)
    gain = draw.choice([0] * 8 + [3000, 9000], rows)
    score = np.minimum(age, 45) / 15 + years / 2 + 2 * married + hours / 10 + gain / 3000
    score += 2 * np.isin(job, ["Manager", "Professional"]) + 0.5 * (sex == "Male")
    score += draw.normal(0, 0.6, rows)
    return pd.DataFrame(
        {
            "age": age,
            "education-num": years,
            "marital-status": np.where(married, "Married", "Single"),
            "occupation": job,
            "sex": sex,
            "capital-gain": gain,
            "hours-per-week": hours,
            "income": np.where(score > 14, ">50K", "<=50K"),
        }
    )


def defendants(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Return defendants with some columns of the COMPAS table, and whether they re-offended."""
    draw = np.random.default_rng(seed)
    age, priors = draw.integers(18, 70, rows), draw.poisson(2.5, rows)
    origin = draw.choice(["African-American", "Caucasian", "Hispanic", "Other"], rows)
    sex = draw.choice(["Female", "Male"], rows, p=[0.2, 0.8])
    score = priors - age / 12 + 1.2 * (origin == "African-American") + draw.normal(0, 1.2, rows)
    return pd.DataFrame(
        {
            "age": age,
            "priors": priors,
            "origin": origin,
            "sex": sex,
            "charge": draw.choice(["felony", "misdemeanor"], rows),
            "within two years": np.where(score > 0.5, "re-offended", "did not"),
        }
    )


def mails(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Return mails with how often some words are in them, and whether they are spam."""
    draw = np.random.default_rng(seed)
    spam = draw.random(rows) < 0.4
    often = {"free": 0.8, "money": 0.5, "remove": 0.4, "you": 2.0, "meeting": 0.3, "project": 0.4}
    words = {}
    for number, (word, rate) in enumerate(often.items()):
        of_spam = number < 4
        factor = np.where(spam == of_spam, 1.6, 0.3)
        words[f"word {word}"] = (draw.poisson(3 * rate * factor) / 3).round(2)
    capitals = draw.integers(1, 40, rows) + spam * draw.integers(0, 200, rows)
    kind = np.where(spam, "spam", "mail")
    return pd.DataFrame({**words, "longest run of capitals": capitals, "kind": kind})
