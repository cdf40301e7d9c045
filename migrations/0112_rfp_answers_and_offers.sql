-- An answer to the asker alone stays private when a later answer goes to all suppliers.
alter table rfp_answers add column shared_with text not null default 'one' check (shared_with in ('all', 'one'));

-- A supplier may replace an offer until the due time: the earlier row is withdrawn, so one row per round is valid.
drop index rfp_responses_round;
create unique index rfp_responses_round on rfp_responses (tenant_id, event_id, recipient_id, date_option, round) where withdrawn_at is null;
