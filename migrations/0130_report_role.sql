-- Texts are compared after NFKC and case folding, as conditions compare them. İ and the iota below Greek vowels are folded here, because the
-- case mapping of the database leaves them. Most texts are ASCII, which have as many bytes as characters and need only lower case.
create function lanyard_fold_text(value text) returns text language sql immutable parallel safe
  return case when octet_length(value) = length(value) then lower(value collate "C") collate "default"
    else replace(replace(normalize(replace(normalize(lower(upper(lower(replace(normalize(value collate "default", NFKC), 'İ', 'i' || chr(775))))), NFD),
      chr(837), 'ι'), NFKC), 'ς', 'σ'), 'ß', 'ss') end;

-- Gives the role of reports the right to read a table, without columns that hold secrets, and only rows of the tenant and event of the
-- snapshot. Other roles see all rows as before. Migrations that add a table for reports call it; without the role it does nothing.
create function lanyard_show_to_reports(shown text) returns void language plpgsql as $$
declare
  columns text;
  scope text;
begin
  if not exists (select from pg_roles where rolname = 'lanyard_reports') then return; end if;
  select string_agg(quote_ident(a.attname), ', ') into columns from pg_attribute a
  where a.attrelid = shown::regclass and a.attnum > 0 and not a.attisdropped
    and a.attname !~ '(hash|token|secret|nonce|activation|join_code|provider_ref|checkout|card_id|return_url|cancel_url|password|totp|sha256)';
  execute format('grant select (%s) on %I to lanyard_reports', columns, shown);
  select string_agg(case a.attname
      when 'tenant_id' then $s$tenant_id = (select current_setting('lanyard.report_tenant')::integer)$s$
      else format($s$(select current_setting('lanyard.report_event')) in ('', %I)$s$, a.attname) end, ' and ')
  into scope from pg_attribute a
  where a.attrelid = shown::regclass and not a.attisdropped
    and a.attname in ('tenant_id', 'event_id');
  if scope is null then return; end if;
  execute format('alter table %I enable row level security', shown);
  execute format('drop policy if exists reports_scope on %I', shown);
  execute format('drop policy if exists everything on %I', shown);
  execute format('create policy reports_scope on %I for select to lanyard_reports using (%s)', shown, scope);
  execute format($s$create policy everything on %I using (current_user <> 'lanyard_reports')$s$, shown);
end $$;

-- Shows everything that reports read to the role. Where the role could not be created, an administrator creates it and calls this.
create function lanyard_prepare_reports() returns void language plpgsql as $$
declare
  shown text;
begin
  execute format('grant usage on schema %I to lanyard_reports', current_schema());
  for shown in select regexp_split_to_table('appointments audience_builds audience_members audience_profiles attendance_counts attendance_figures attendance_people attendance_presence attendance_scans
    audit_entries block_nights block_requests booth_applications booth_assignments booths charges clients companies config_drafts config_versions
    contact_emails contacts event_hotels events exhibitor_staff floor_plans flow_visits fx_rates group_invites hotel_pci_records
    hotel_waitlist_entries housing_contracts inventory invite_list_entries invoices lead_captures lead_devices lead_licences leads
    ledger_entries managed_groups messages milestones money_figures offerings order_lines orders participants payment_reversals payments
    people_figures refunds registration_progress reservation_nights reservations rfp_recipients rfp_responses rfps room_blocks room_nights
    session_enrolments session_speakers sessions speakers submission_reviews submission_speakers submissions supplier_contracts suppliers survey_answers
    survey_invites survey_responses tax_assessments tax_assessment_invoices waitlist_entries write_offs', '\s+')
  loop
    perform lanyard_show_to_reports(shown);
  end loop;
end $$;

do $$
begin
  begin
    create role lanyard_reports nologin;
  exception
    when duplicate_object or unique_violation then null;
    when insufficient_privilege then return;
  end;
  if not pg_has_role(current_user, 'lanyard_reports', 'member') then
    execute format('grant lanyard_reports to %I', current_user);
  end if;
  perform lanyard_prepare_reports();
exception
  when insufficient_privilege then raise notice 'The role of reports could not be set up; lanyard doctor prints the statements';
end $$;
