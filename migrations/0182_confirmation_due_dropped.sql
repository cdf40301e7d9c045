-- Emails that are due are rows of due_registration_emails since migration 0143, which moved the values of this column there.
alter table registration_progress drop column confirmation_due_at;
