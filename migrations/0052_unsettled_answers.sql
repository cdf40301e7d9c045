-- How often a stored answer could not be settled. Attempts cannot tell: they also count polls of a payment that is still open.
alter table outside_calls add column settle_failures integer not null default 0;
