-- The time zone in which `next_at` is the time of day of the delivery, because the zone of an event can change. Null for deliveries that were
-- saved before this column existed: the zone of the event.
alter table report_deliveries add column zone text collate "C";
update report_deliveries d set zone = e.timezone from events e where e.tenant_id = d.tenant_id and e.id = d.event_id;
