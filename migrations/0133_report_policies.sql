-- The policies of the role of reports are evaluated for each row that a report reads, so they compare each column once, and compute what is
-- the same for all rows once for the statement.
create or replace function lanyard_show_to_reports(shown text) returns void language plpgsql as $$
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
      else $s$(event_id = (select current_setting('lanyard.report_event')) or (select current_setting('lanyard.report_event') = ''))$s$ end,
    ' and ' order by a.attname desc)
  into scope from pg_attribute a
  where a.attrelid = shown::regclass and not a.attisdropped
    and a.attname in ('tenant_id', 'event_id');
  if scope is null then return; end if;
  execute format('alter table %I enable row level security', shown);
  execute format('drop policy if exists reports_scope on %I', shown);
  execute format('drop policy if exists everything on %I', shown);
  execute format('create policy reports_scope on %I for select to lanyard_reports using (%s)', shown, scope);
  execute format($s$create policy everything on %I using ((select current_user <> 'lanyard_reports'))$s$, shown);
end $$;

-- Where the role could not be created, an administrator creates it and prepares it as before.
do $$
begin
  if exists (select from pg_roles where rolname = 'lanyard_reports' and pg_has_role(current_user, oid, 'member')) then
    perform lanyard_prepare_reports();
  end if;
exception
  when insufficient_privilege then raise notice 'The role of reports could not be set up; lanyard doctor prints the statements';
end $$;
