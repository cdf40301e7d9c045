-- The totals of a rehearsal are minor units. Without a currency of their own they would change their value with the event's currency.
alter table rehearsals add column currency text collate "C";
update rehearsals r set currency = e.currency from events e where e.tenant_id = r.tenant_id and e.id = r.event_id;
alter table rehearsals alter column currency set not null;
