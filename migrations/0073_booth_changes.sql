-- Why a booth is off sale, and why a company no longer has it.
alter table booths
  add column block_reason text,
  -- A merged booth that was split again and has assignments in its history. It stays merged, into one of its parts, and is not itself a part.
  add column was_split boolean not null default false,
  add constraint booths_was_split check (not was_split or status = 'merged');
create index booths_merged_into on booths (tenant_id, event_id, merged_into) where merged_into is not null;

alter table booth_assignments add column end_reason text;
create index booth_assignments_of_booth on booth_assignments (tenant_id, event_id, booth_id);
