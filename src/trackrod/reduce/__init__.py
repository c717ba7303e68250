"""Quarter cars with one equivalent link: reduced from the multibody model, identified by homotopy, joined to a vehicle."""
