-- The log is read in the order of time, from any place of it to both sides. Each way to narrow it leads along an index of its own, in that order.
create index audit_entries_at on audit_entries (tenant_id, at, id);
create index audit_entries_of_client on audit_entries (tenant_id, client_id, at, id);
create index audit_entries_at_event on audit_entries (tenant_id, event_id, at, id) where event_id is not null;
create index audit_entries_by_actor on audit_entries (tenant_id, actor_id, at, id);
create index audit_entries_of_tool on audit_entries (tenant_id, tool, at, id);
create index audit_entries_through on audit_entries (tenant_id, lower(app_name), at, id);
create index audit_entries_about on audit_entries (tenant_id, (targets -> 0 ->> 'kind'), at, id);

-- What it was read by until now is told by the one above as well.
drop index audit_entries_of_actor;
