-- Why a booth is off sale, and why a company no longer has it.
alter table booths
  add column block_reason text,
  -- A merged booth that was split again and has assignments in its history. It stays merged, into one of its parts, and is not itself a part.
  add column was_split boolean not null default false,
  add constraint booths_was_split check (not was_split or status = 'merged');
create index booths_merged_into on booths (tenant_id, event_id, merged_into) where merged_into is not null;

alter table booth_assignments add column end_reason text;
create index booth_assignments_of_booth on booth_assignments (tenant_id, event_id, booth_id);

-- X1. A booth that was deleted in the same transaction, like a merged one that is split again, has no assignment either.
create or replace function booths_assigned_as_told() returns trigger language plpgsql as $$
declare
  booth text := coalesce(to_jsonb(new) ->> 'booth_id', new.id);
begin
  if coalesce((select b.status = 'assigned' from booths b where b.tenant_id = new.tenant_id and b.event_id = new.event_id and b.id = booth), false)
    is distinct from exists (select from booth_assignments a
      where a.tenant_id = new.tenant_id and a.event_id = new.event_id and a.booth_id = booth and a.until is null) then
    raise exception 'a booth is assigned exactly while a company has it' using errcode = 'check_violation', constraint = 'booths_assigned_as_told';
  end if;
  return null;
end $$;
