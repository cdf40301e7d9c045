-- Scanned badges of other providers are found whatever their case, where only one is meant.
create index participants_badge_any_case on participants (tenant_id, event_id, lower(badge_id));

-- How badges were written in each version, without the rest of its document: badges printed by an earlier one are still worn.
alter table config_versions add column badge jsonb generated always as (document -> 'badge') stored;
