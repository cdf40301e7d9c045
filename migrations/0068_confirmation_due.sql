-- The confirmation email of a completed registration is written in a transaction of its own, after the sale has released its locks. Until
-- then this is the time from which it is due. A sweep sends what a stopped process has left.
alter table registration_progress add column confirmation_due_at timestamptz;
create index registration_progress_confirmation_due on registration_progress (confirmation_due_at) where confirmation_due_at is not null;
