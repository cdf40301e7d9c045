-- Signing: the chain of steps, signed files, and the keys of seals.

alter table signature_envelopes
  -- The number of steps and the hash of the last one, so that removed steps at the end of a chain are found.
  add column steps integer not null default 0 check (steps >= 0),
  add column steps_sha256 text collate "C" check (steps_sha256 ~ '^[0-9a-f]{64}$'),
  add column signed_file_id text collate "C",
  -- Hashes of the sealed files as they were sent out.
  add column signed_sha256 text collate "C" check (signed_sha256 ~ '^[0-9a-f]{64}$'),
  add column certificate_sha256 text collate "C" check (certificate_sha256 ~ '^[0-9a-f]{64}$'),
  -- The latest call to the provider of the envelope.
  add column call_id text collate "C",
  -- The language of the emails to signers.
  add column locale text not null default 'en';
create index signature_envelopes_signed on signature_envelopes (signed_sha256) where signed_sha256 is not null;
create index signature_envelopes_certificate on signature_envelopes (certificate_sha256) where certificate_sha256 is not null;
create index signature_envelopes_of_contract on signature_envelopes (tenant_id, event_id, contract_id, id);

-- The hash of one step. Every value is written with its length in bytes, so that no two steps have the same text.
create function signature_step_hash(envelope text, n integer, at timestamptz, actor text, ip text, user_agent text, step text,
  document_sha256 text, previous_sha256 text) returns text language sql immutable as $$
  select encode(sha256(convert_to(string_agg(coalesce(octet_length(u.value)::text || ':' || u.value, '-'), ',' order by u.place), 'UTF8')), 'hex')
  from unnest(array[envelope, n::text, (extract(epoch from at) * 1000)::bigint::text, actor, ip, user_agent, step, document_sha256,
    previous_sha256]) with ordinality u(value, place) $$;

-- Appends a step to the chain of an envelope. Steps of one envelope wait for each other at the row of the envelope.
create function signature_step_add(of_tenant integer, of_event text, of_envelope text, by_actor text, from_ip text, with_agent text, what text)
  returns integer language plpgsql as $$
declare
  envelope signature_envelopes%rowtype;
  now_ms timestamptz := date_trunc('milliseconds', lanyard_now());
  previous text;
  hashed text;
begin
  select * into strict envelope from signature_envelopes e
  where e.tenant_id = of_tenant and e.event_id = of_event and e.id = of_envelope for update;
  previous := coalesce(envelope.steps_sha256, repeat('0', 64));
  hashed := signature_step_hash(envelope.id, envelope.steps + 1, now_ms, by_actor, from_ip, with_agent, what, envelope.version_sha256, previous);
  insert into signature_steps (tenant_id, event_id, envelope_id, n, at, actor, ip, user_agent, step, document_sha256, previous_sha256, sha256)
  values (of_tenant, of_event, of_envelope, envelope.steps + 1, now_ms, by_actor, from_ip, with_agent, what, envelope.version_sha256, previous, hashed);
  update signature_envelopes e set steps = envelope.steps + 1, steps_sha256 = hashed
  where e.tenant_id = of_tenant and e.event_id = of_event and e.id = of_envelope;
  return envelope.steps + 1;
end $$;

-- Steps that do not fit their chain: changed, removed, inserted, or moved from another envelope. 0: no step is left.
create function signature_chain_breaks(of_tenant integer, of_event text) returns table (envelope_id text, n integer) language sql stable as $$
  select c.envelope_id, c.n from (
    select s.*, row_number() over chain as place, lag(s.sha256, 1, repeat('0', 64)) over chain as expected
    from signature_steps s where s.tenant_id = of_tenant and s.event_id = of_event
    window chain as (partition by s.envelope_id order by s.n)) c
  join signature_envelopes e on e.tenant_id = c.tenant_id and e.event_id = c.event_id and e.id = c.envelope_id
  where c.n <> c.place or c.previous_sha256 <> c.expected or c.document_sha256 <> e.version_sha256
    or c.sha256 <> signature_step_hash(c.envelope_id, c.n, c.at, c.actor, c.ip, c.user_agent, c.step, c.document_sha256, c.previous_sha256)
  union
  select e.id, coalesce(l.n, 0) from signature_envelopes e
  left join lateral (
    select s.n, s.sha256 from signature_steps s
    where s.tenant_id = e.tenant_id and s.event_id = e.event_id and s.envelope_id = e.id order by s.n desc limit 1) l on true
  where e.tenant_id = of_tenant and e.event_id = of_event and (e.steps <> coalesce(l.n, 0) or e.steps_sha256 is distinct from l.sha256) $$;

-- The certificates that this installation has sealed files with, and the encrypted key that it made for itself.
create table seal_certificates (
  fingerprint text collate "C" primary key check (fingerprint ~ '^[0-9a-f]{64}$'),
  certificate text not null,
  -- Sealed; null: the key is in the operator's PKCS #12 file.
  sealed_key text,
  is_own boolean not null,
  created_at timestamptz not null default lanyard_now(),
  constraint seal_certificates_key check (is_own = (sealed_key is not null))
);
create unique index seal_certificates_own on seal_certificates (is_own) where is_own;

-- Milestones of one code may exchange their days within a transaction.
drop index milestones_once;
alter table milestones add constraint milestones_once unique (tenant_id, event_id, contract_id, code, due_on) deferrable initially deferred;
