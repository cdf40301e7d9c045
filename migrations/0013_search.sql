-- Searching compares folded texts: compatible forms, accents, capitals and blanks make no difference. A blank stands before every word, also
-- behind a sign as in anna@example.org, and around the signs of scripts that write no blanks; so trigrams know where words begin. The word
-- that is looked for is folded by the same function, which is why the blanks that were put in are no hindrance.
-- Codes are collated by their bytes, where letters beyond ASCII have no capitals: the collation of the database holds for all parts.
-- Only functions of the catalogue are used: a restored dump computes these columns with an empty search path.
create function lanyard_searched(variadic parts text[]) returns text language sql immutable parallel safe as $$
  select ' ' || regexp_replace(regexp_replace(regexp_replace(
    replace(translate(lower(normalize(
      regexp_replace(normalize(array_to_string(parts, ' ') collate "default", NFKD), '[\u0300-\u036f]', '', 'g'), NFKC)), 'ςøłđı', 'σoldi'), 'ß', 'ss'),
    '\s+', ' ', 'g'),
    '([^[:alnum:][:space:]])', '\1 ', 'g'),
    '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g') $$;

-- The pattern of one word: any part of a text, or for less than three signs, which have no trigram, the start of a word.
create function lanyard_word_pattern(word text) returns text language sql immutable parallel safe as $$
  select case when length(folded) < 3 then '% ' else '%' end || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%'
  from btrim(lanyard_searched(word)) as folded $$;

alter table clients add column searched text not null generated always as (lanyard_searched(name, code)) stored;
create index clients_searched on clients using gin (searched gin_trgm_ops);

alter table events add column searched text not null generated always as (lanyard_searched(name, code, city)) stored;
create index events_searched on events using gin (searched gin_trgm_ops);

alter table users add column searched text not null generated always as (lanyard_searched(name, email)) stored;
create index users_searched on users using gin (searched gin_trgm_ops);

alter table memories add column searched text not null
  generated always as (lanyard_searched(variadic array[title, body] || tags)) stored;
create index memories_searched on memories using gin (searched gin_trgm_ops);

alter table feedback add column searched text not null
  generated always as (lanyard_searched(body, page, tool, assignee, contact_email, error_references::text)) stored;
create index feedback_searched on feedback using gin (searched gin_trgm_ops);

-- A code that opens an account is not found by its digits, or it could be guessed one by one.
alter table messages add column searched text not null
  generated always as (lanyard_searched(case when category <> 'signin.code' then subject end, to_address, to_name)) stored;
create index messages_searched on messages using gin (searched gin_trgm_ops);

-- Who did it is looked for by the name they had then, and by today's name and email.
alter table audit_entries add column searched text not null generated always as (lanyard_searched(actor_name)) stored;
create index audit_entries_searched on audit_entries using gin (searched gin_trgm_ops);
create index audit_entries_of_actor on audit_entries (tenant_id, actor_id, id);
