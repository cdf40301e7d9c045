-- Tenant ids are random, so that a tenant can be moved to another installation without a conflict. Existing tenants keep their ids.
create function new_tenant_id() returns integer language plpgsql volatile as $$
declare
  chosen integer;
begin
  loop
    chosen := ('x' || left(gen_random_uuid()::text, 8))::bit(32)::integer & 2147483647;
    exit when chosen > 0 and not exists (select from tenants t where t.id = chosen);
  end loop;
  return chosen;
end $$;
alter table tenants alter column id drop identity;
alter table tenants alter column id set default new_tenant_id();
