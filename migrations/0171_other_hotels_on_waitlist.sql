-- The ids of other hotels that a person would also take, chosen with a sold-out room before the registration is complete. They become the
-- alternatives of the waiting list entry.
alter table registration_progress add column other_hotels text[] not null default '{}';
