-- A contact is a person across the events of a client. Every registration with an address points to one.

create function lanyard_new_id() returns text language sql volatile as $$
  select lpad(to_hex((extract(epoch from lanyard_now()) * 1000)::bigint), 12, '0') || left(replace(gen_random_uuid()::text, '-', ''), 12) $$;

alter table participants add column contact_id text collate "C";

create table contacts (
  tenant_id integer not null,
  client_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  first_name text,
  last_name text,
  phones text[] not null default '{}',
  -- { system: id }: what other systems know them by.
  external_ids jsonb not null default '{}' check (jsonb_typeof(external_ids) = 'object'),
  company text,
  job_title text,
  city text,
  region text,
  postal_code text,
  country text,
  language text,
  linkedin text,
  marketing_consent text not null default 'unknown' check (marketing_consent in ('unknown', 'given', 'withdrawn')),
  consent_at timestamptz,
  consent_source text,
  topics_off text[] not null default '{}',
  tags text[] not null default '{}',
  -- One that was found to be another one: it stays, so that its id is understood.
  merged_into text collate "C",
  -- { field: { source, at } }: who said so, and when. Keys are columns.
  provenance jsonb not null default '{}' check (jsonb_typeof(provenance) = 'object'),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  foreign key (tenant_id, client_id) references clients,
  check (merged_into <> id)
);
-- The keys come last: of indexes that seem alike, as all do while a table is young, the server takes the newest, also for plans that it keeps.
create index contacts_changed on contacts (tenant_id, client_id, updated_at, id);
create index contacts_merged on contacts (tenant_id, client_id, merged_into) where merged_into is not null;
alter table contacts add unique (tenant_id, client_id, id);
alter table contacts add primary key (tenant_id, id),
  add foreign key (tenant_id, client_id, merged_into) references contacts (tenant_id, client_id, id) on delete cascade;
create trigger contacts_touch before update on contacts for each row execute function lanyard_touch();

-- Several people may have one address: each has a place of their own there. Whoever makes a contact takes the next place, so of two who do
-- so at once for the same address one waits for the other, and nobody else waits.
create table contact_emails (
  tenant_id integer not null,
  client_id text collate "C" not null,
  contact_id text collate "C" not null,
  address text not null,
  address_norm text collate "C" not null generated always as (lower(address)) stored,
  place integer not null check (place > 0),
  is_primary boolean not null,
  verified_at timestamptz,
  bounced boolean not null default false,
  unique (tenant_id, contact_id, address_norm),
  foreign key (tenant_id, client_id, contact_id) references contacts (tenant_id, client_id, id) on delete cascade
);
create unique index contact_emails_primary on contact_emails (tenant_id, contact_id) where is_primary;
-- Last, since everybody is looked up by their address.
alter table contact_emails add primary key (tenant_id, client_id, address_norm, place);

-- Two who may be one.
create table contact_pairs (
  tenant_id integer not null,
  client_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  a text collate "C" not null,
  b text collate "C" not null,
  weight numeric(5, 1) not null,
  score numeric(4, 3) not null generated always as (round(1 / (1 + power(2::numeric, 8 - weight)), 3)) stored,
  -- [{ name, weight }]
  features jsonb not null,
  vetoes text[] not null default '{}',
  suggested_survivor text collate "C" not null,
  status text not null default 'open' check (status in ('open', 'merged', 'not_duplicate', 'auto_merged')),
  decided_by text,
  decided_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  unique (tenant_id, a, b),
  foreign key (tenant_id, client_id, a) references contacts (tenant_id, client_id, id) on delete cascade,
  foreign key (tenant_id, client_id, b) references contacts (tenant_id, client_id, id) on delete cascade,
  check (a < b),
  check (suggested_survivor in (a, b)),
  check ((status = 'open') = (decided_at is null))
);
create index contact_pairs_of_b on contact_pairs (tenant_id, client_id, b);
create index contact_pairs_open on contact_pairs (tenant_id, client_id, weight desc, id) where status = 'open';
create trigger contact_pairs_touch before update on contact_pairs for each row execute function lanyard_touch();

-- What a merge did, so that it can be undone.
create table contact_merges (
  tenant_id integer not null,
  client_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  survivor_id text collate "C" not null,
  loser_id text collate "C" not null,
  -- { survivor, loser }: both records with their addresses.
  before jsonb not null,
  -- [{ kind, eventId?, id }]
  relinked jsonb not null,
  merged_at timestamptz not null default lanyard_now(),
  merged_by text not null,
  undone_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id, survivor_id) references contacts (tenant_id, client_id, id) on delete cascade,
  foreign key (tenant_id, client_id, loser_id) references contacts (tenant_id, client_id, id) on delete cascade
);
create unique index contact_merges_standing on contact_merges (tenant_id, loser_id) where undone_at is null;
create index contact_merges_of_survivor on contact_merges (tenant_id, client_id, survivor_id);

-- A text in the ways that it may be written: folded, without some words, a letter with a mark as one letter or as two. Null for nothing.
create function contact_forms(given text, without text[]) returns text[] language sql immutable parallel safe as $$
  select array_agg(distinct f.form) from (
    select coalesce(string_agg(w.word, ' ' order by w.at) filter (where w.word <> all(without)), string_agg(w.word, ' ' order by w.at)) as form
    from unnest(array[given, replace(replace(replace(replace(replace(replace(
      lower(normalize(given collate "default", NFKC)), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), 'æ', 'ae')]) with ordinality as way(text, n)
    cross join lateral regexp_split_to_table(lanyard_searched(way.text), '[^[:alnum:]]+') with ordinality as w(word, at)
    where w.word <> '' group by way.n) f $$;

create function contact_name_forms(given text) returns text[] language sql immutable parallel safe as $$
  select contact_forms(given, '{dr,prof,professor,mr,mrs,ms,miss,mx,sir,dame,herr,frau,mag,dipl,ing,phd,md,jr,sr,mme,mlle}'::text[]) $$;

create function contact_company_forms(given text) returns text[] language sql immutable parallel safe as $$
  select contact_forms(given, '{gmbh,ag,kg,ohg,ug,mbh,se,inc,incorporated,ltd,limited,llc,llp,plc,corp,corporation,co,company,sa,sas,sarl,srl,spa,sl,bv,nv,oy,oyj,ab,as,asa,aps,lda,sro,kft,zrt,pty,pte,kk}'::text[]) $$;

-- What a name is short for.
create function contact_full_names(given text) returns text[] language sql immutable parallel safe as $$
  select array[given] || coalesce((select array_agg(n) from jsonb_array_elements_text('{
    "abby": ["abigail"], "al": ["albert", "alfred", "alan"], "alex": ["alexander", "alexandra", "alexis"], "andi": ["andreas", "andrea"], "andy": ["andrew", "andreas"],
    "angie": ["angela"], "art": ["arthur"], "barb": ["barbara"], "becky": ["rebecca"], "ben": ["benjamin", "benedict"], "bernie": ["bernard", "bernhard"],
    "bert": ["albert", "robert", "hubert"], "beth": ["elizabeth"], "betty": ["elizabeth"], "bill": ["william"], "billy": ["william"], "bob": ["robert"],
    "bobby": ["robert"], "brad": ["bradley"], "cathy": ["catherine", "katherine"], "charlie": ["charles", "charlotte"], "chris": ["christopher", "christina", "christine", "christian"],
    "chuck": ["charles"], "cindy": ["cynthia"], "dan": ["daniel"], "danny": ["daniel"], "dave": ["david"], "deb": ["deborah"], "debbie": ["deborah"],
    "dick": ["richard"], "don": ["donald"], "doug": ["douglas"], "ed": ["edward", "edmund", "edgar"], "eddie": ["edward", "edmund"], "ellie": ["eleanor", "elena"],
    "fran": ["frances", "francis"], "frank": ["francis", "franklin"], "fred": ["frederick", "alfred"], "gabi": ["gabriele", "gabriela"], "gabe": ["gabriel"],
    "gene": ["eugene"], "greg": ["gregory"], "hal": ["harold", "henry"], "hank": ["henry"], "hans": ["johannes"], "harry": ["harold", "henry"],
    "jack": ["john"], "jake": ["jacob"], "jan": ["janet", "janice"], "jeff": ["jeffrey", "geoffrey"], "jen": ["jennifer"], "jenny": ["jennifer"], "jerry": ["gerald", "jerome"],
    "jim": ["james"], "jimmy": ["james"], "jo": ["joanna", "josephine", "joanne"], "joe": ["joseph"], "joey": ["joseph"], "johnny": ["john"], "jon": ["jonathan", "john"],
    "josh": ["joshua"], "judy": ["judith"], "kat": ["katherine", "catherine", "kathleen"], "kate": ["katherine", "catherine", "katharine", "kathleen"],
    "kathy": ["katherine", "catherine", "kathleen"], "katie": ["katherine", "catherine", "kathleen"], "ken": ["kenneth"], "kim": ["kimberly"], "klaus": ["nikolaus"],
    "larry": ["lawrence"], "len": ["leonard"], "leo": ["leonard", "leopold"], "liz": ["elizabeth"], "lizzie": ["elizabeth"], "maggie": ["margaret"], "mandy": ["amanda"],
    "marge": ["margaret"], "matt": ["matthew"], "max": ["maximilian", "maxwell"], "meg": ["margaret", "megan"], "mel": ["melanie", "melissa", "melvin"], "mick": ["michael"],
    "mike": ["michael"], "mitch": ["mitchell"], "nancy": ["anne"], "nat": ["nathan", "nathaniel", "natalie"], "nate": ["nathan", "nathaniel"], "ned": ["edward"],
    "nick": ["nicholas"], "pam": ["pamela"], "pat": ["patrick", "patricia"], "patty": ["patricia"], "peg": ["margaret"], "peggy": ["margaret"], "pepe": ["jose"],
    "pete": ["peter"], "phil": ["philip", "phillip"], "ray": ["raymond"], "rich": ["richard"], "rick": ["richard"], "rob": ["robert"], "robbie": ["robert"],
    "ron": ["ronald"], "ronnie": ["ronald"], "russ": ["russell"], "sally": ["sarah"], "sam": ["samuel", "samantha"], "sandy": ["sandra", "alexander"], "sepp": ["josef"],
    "sophie": ["sophia"], "steff": ["stefan", "stefanie"], "stan": ["stanley"], "steve": ["steven", "stephen"], "sue": ["susan", "suzanne"], "susi": ["susanne"],
    "suzy": ["susan", "suzanne"], "ted": ["edward", "theodore"], "terry": ["terence", "theresa"], "theo": ["theodore", "theodor"], "tim": ["timothy"], "tina": ["christina", "martina"],
    "toby": ["tobias"], "tom": ["thomas"], "tommy": ["thomas"], "toni": ["anton", "antonia"], "tony": ["anthony", "antony"], "trish": ["patricia"], "uli": ["ulrich", "ulrike"],
    "vicky": ["victoria"], "vince": ["vincent"], "walt": ["walter"], "will": ["william"], "wolf": ["wolfgang"], "zach": ["zachary"]
  }'::jsonb -> given) n), '{}') $$;

create function jaro_winkler(a text, b text) returns numeric language plpgsql immutable strict parallel safe as $$
declare
  reach integer := greatest(greatest(length(a), length(b)) / 2 - 1, 0);
  used boolean[] := array_fill(false, array[greatest(length(b), 1)]);
  met text := '';
  met_there text := '';
  common integer;
  moved integer := 0;
  jaro numeric;
  same integer := 0;
begin
  if a = b then return 1; end if;
  for i in 1..length(a) loop
    for j in greatest(1, i - reach)..least(length(b), i + reach) loop
      if not used[j] and substr(a, i, 1) = substr(b, j, 1) then
        used[j] := true;
        met := met || substr(a, i, 1);
        exit;
      end if;
    end loop;
  end loop;
  common := length(met);
  if common = 0 then return 0; end if;
  for j in 1..length(b) loop
    if used[j] then met_there := met_there || substr(b, j, 1); end if;
  end loop;
  for i in 1..common loop
    if substr(met, i, 1) <> substr(met_there, i, 1) then moved := moved + 1; end if;
  end loop;
  jaro := (common::numeric / length(a) + common::numeric / length(b) + (common - moved / 2)::numeric / common) / 3;
  while same < 4 and same < least(length(a), length(b)) and substr(a, same + 1, 1) = substr(b, same + 1, 1) loop same := same + 1; end loop;
  return round(jaro + same * 0.1 * (1 - jaro), 6);
end $$;

create function contact_nearness(a text[], b text[]) returns numeric language sql immutable parallel safe as $$
  select max(jaro_winkler(x, y)) from unnest(a) x cross join unnest(b) y $$;

-- Weights of Fellegi and Sunter: what it says for or against two records being of one person. What is not known of either says nothing.
create function contact_first_name_weight(a text, b text) returns numeric language sql immutable parallel safe as $$
  select case
    when f.a is null or f.b is null then 0
    when f.a && f.b then 3
    when (select array_agg(n) from unnest(f.a) x cross join lateral unnest(contact_full_names(x)) n)
      && (select array_agg(n) from unnest(f.b) x cross join lateral unnest(contact_full_names(x)) n) then 3
    when contact_nearness(f.a, f.b) >= 0.90 then 1.5
    when exists (select from unnest(f.a) x cross join unnest(f.b) y where left(x, 1) = left(y, 1) and (x ~ '^\w( \w)*$' or y ~ '^\w( \w)*$')) then 1
    else -3 end
  from (select contact_name_forms(a) as a, contact_name_forms(b) as b) f $$;

create function contact_last_name_weight(a text, b text) returns numeric language sql immutable parallel safe as $$
  select case
    when f.a is null or f.b is null then 0
    when f.a && f.b then 4
    when n.near >= 0.92 then 2
    when n.near < 0.80 then -4
    else 0 end
  from (select contact_name_forms(a) as a, contact_name_forms(b) as b) f cross join lateral (select contact_nearness(f.a, f.b) as near) n $$;

create function contact_company_weight(a text, b text) returns numeric language sql immutable parallel safe as $$
  select case
    when f.a is null or f.b is null then 0
    when f.a && f.b then 2
    when (select max((select count(*) from (select unnest(string_to_array(x, ' ')) intersect select unnest(string_to_array(y, ' '))) i)::numeric
        / (select count(*) from (select unnest(string_to_array(x, ' ')) union select unnest(string_to_array(y, ' '))) u))
      from unnest(f.a) x cross join unnest(f.b) y) >= 0.5 then 1
    else -0.5 end
  from (select contact_company_forms(a) as a, contact_company_forms(b) as b) f $$;

-- Without what is written after a plus sign and, where they mean nothing, without dots.
create function contact_canonical_email(given text) returns text language sql immutable parallel safe as $$
  select case when p.host in ('gmail.com', 'googlemail.com') then replace(p.local, '.', '') || '@gmail.com' else p.local || '@' || p.host end
  from (select regexp_replace(split_part(lower(given), '@', 1), '\+.*$', '') as local, split_part(lower(given), '@', 2) as host) p $$;

create function contact_is_role_email(given text) returns boolean language sql immutable parallel safe as $$
  select split_part(lower(given), '@', 1) = any('{info,office,contact,kontakt,sales,admin,support,hello,team,mail,marketing,events,event,service,hr,jobs,press,presse,reception,webmaster,postmaster,noreply,no-reply,accounting,billing,booking}'::text[]) $$;

create function contact_email_weight(a text[], b text[]) returns numeric language sql immutable parallel safe as $$
  select coalesce(max(case
    when lower(x) = lower(y) then case when contact_is_role_email(x) then 2 else 8 end
    when contact_is_role_email(x) or contact_is_role_email(y) then -1
    when contact_canonical_email(x) = contact_canonical_email(y) then 6
    when split_part(lower(x), '@', 1) = split_part(lower(y), '@', 1) then 2
    else -1 end), 0)
  from unnest(a) x cross join unnest(b) y $$;

-- Digits of numbers, which are written in many ways.
create function contact_digits(given text[]) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(d.digits), '{}') from (select regexp_replace(n, '\D', '', 'g') as digits from unnest(given) n) d where length(d.digits) >= 6 $$;

-- Events of a contact: those with a complete registration that is not test data.
create function contact_events(tenant integer, contact text) returns table (event_id text) language sql stable as $$
  select distinct p.event_id from participants p where p.tenant_id = tenant and p.contact_id = contact and p.status = 'complete' and not p.is_test_data $$;

create function contact_features(tenant integer, a text, b text, b_joins text) returns table (name text, weight numeric, veto boolean) language sql stable as $$
  with both_of as (
    select x as x, y as y,
      (select coalesce(array_agg(m.address), '{}') from contact_emails m where m.tenant_id = tenant and m.contact_id = a) as x_emails,
      (select coalesce(array_agg(m.address), '{}') from contact_emails m where m.tenant_id = tenant and m.contact_id = b) as y_emails
    from contacts x join contacts y on y.tenant_id = x.tenant_id and y.id = b where x.tenant_id = tenant and x.id = a
  ), weighed as (
    select f.* from both_of o cross join lateral (values
      ('email', contact_email_weight(o.x_emails, o.y_emails), false),
      ('externalId', case when exists (select from jsonb_each_text((o.x).external_ids) i where (o.y).external_ids ->> i.key = i.value) then 10 else 0 end,
        exists (select from jsonb_each_text((o.x).external_ids) i where (o.y).external_ids ->> i.key <> i.value)),
      ('linkedin', case when lower((o.x).linkedin) = lower((o.y).linkedin) then 9 else 0 end, false),
      ('phone', case when contact_digits((o.x).phones) && contact_digits((o.y).phones) then 5 else 0 end, false),
      ('place', case when (o.x).country <> (o.y).country then -1
        when lower((o.x).postal_code) = lower((o.y).postal_code) or lower((o.x).city) = lower((o.y).city) then 1 else 0 end, false),
      ('lastName', contact_last_name_weight((o.x).last_name, (o.y).last_name), false),
      ('firstName', contact_first_name_weight((o.x).first_name, (o.y).first_name), false),
      ('company', contact_company_weight((o.x).company, (o.y).company), false),
      ('sameEvent', case when exists (select from contact_events(tenant, a) e
        where e.event_id = b_joins or e.event_id in (select contact_events(tenant, b))) then -3 else 0 end, false)
    ) as f(name, weight, veto))
  select w.name, w.weight::numeric, w.veto from weighed w where w.weight <> 0 or w.veto $$;

-- Of two, who would remain: who is known elsewhere, else who was at more events, else who came first.
create function contact_survivor(tenant integer, a text, b text) returns text language sql stable as $$
  select c.id from contacts c where c.tenant_id = tenant and c.id in (a, b)
  order by c.external_ids <> '{}' desc, (select count(*) from contact_events(tenant, c.id)) desc, c.id limit 1 $$;

-- Puts two into the queue of those who may be one, where enough says so. `joins`: the event that the newer one is registering for.
create function contact_pair_up(tenant integer, client text, older text, newer text, joins text) returns void language sql as $$
  insert into contact_pairs as p (tenant_id, client_id, id, a, b, weight, features, suggested_survivor)
  select tenant, client, lanyard_new_id(), least(older, newer), greatest(older, newer), f.weight, f.features, contact_survivor(tenant, older, newer)
  from (select sum(w.weight) as weight, bool_or(w.veto) as vetoed, jsonb_agg(jsonb_build_object('name', w.name, 'weight', w.weight)) as features
    from contact_features(tenant, older, newer, joins) w) f
  where f.weight >= 8 and not f.vetoed
  on conflict (tenant_id, a, b) do update set weight = excluded.weight, features = excluded.features, suggested_survivor = excluded.suggested_survivor
  where p.status = 'open' $$;

create function contact_source_rank(source text) returns integer language sql immutable parallel safe as $$
  select coalesce(array_position('{lead,import,organizer,directory,person}'::text[], source), 0) $$;

-- What is said at one moment by one source, as it is kept with what they said.
create function contact_origins(said jsonb, origin text) returns jsonb language plpgsql volatile as $$
begin
  return (select coalesce(jsonb_object_agg(k, jsonb_build_object('source', origin, 'at', instant_shown(lanyard_now()))), '{}') from jsonb_object_keys(said) k);
end $$;

-- A contact learns from a registration: what somebody says who knows as much or more, and never that something is empty.
create function contact_learn(tenant integer, contact text, said jsonb, numbers text[], origin text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  known contacts;
  learnt jsonb;
  further text[];
begin
  select * into known from contacts c where c.tenant_id = tenant and c.id = contact;
  select coalesce(jsonb_object_agg(s.key, s.value), '{}') into learnt from jsonb_each(said) s
  where to_jsonb(known) -> s.key is distinct from s.value
    and (to_jsonb(known) ->> s.key is null or contact_source_rank(origin) >= contact_source_rank(known.provenance -> s.key ->> 'source'));
  further := array(select n from unnest(numbers) n
    where regexp_replace(n, '\D', '', 'g') not in (select regexp_replace(k, '\D', '', 'g') from unnest(known.phones) k));
  if learnt = '{}' and cardinality(further) = 0 then return; end if;
  known := jsonb_populate_record(known, learnt);
  update contacts c set first_name = known.first_name, last_name = known.last_name, company = known.company, job_title = known.job_title,
    city = known.city, region = known.region, postal_code = known.postal_code, country = known.country, language = known.language,
    linkedin = known.linkedin, provenance = c.provenance || contact_origins(learnt, origin), phones = c.phones || further
  where c.tenant_id = tenant and c.id = contact;
end $$;

-- The contact of a registration: whoever has this address under a compatible name; else the one it had, who then has this address too; else a new
-- one, beside all others at the address. `said` is what the registration says of them, by columns of contacts and nothing empty, `current` the
-- contact that it has, `is_complete` whether what it says is more than begun.
create function contact_of_person(tenant integer, event text, given text, said jsonb, numbers text[], origin text, current text, is_complete boolean)
returns text language plpgsql volatile set enable_seqscan = off as $$
declare
  client text := (select e.client_id from events e where e.tenant_id = tenant and e.id = event);
  named text := said ->> 'first_name';
  places integer;
  found_id text;
  stays boolean;
begin
  loop
    -- Before the look at who has them: whoever takes a place after it is met when the next one is taken.
    select coalesce(max(m.place), 0) into places from contact_emails m
    where m.tenant_id = tenant and m.client_id = client and m.address_norm = lower(given);
    found_id := null;
    -- Looked for twice: whoever was merged into another while this waited is found there then.
    for look in 1..least(places * 2, 2) loop
      -- One by one, so that names are weighed of those alone, whatever the server thinks of how many there are.
      select c.id into found_id from contact_emails m cross join lateral (
        select k.id, k.first_name, k.last_name from contacts k
        where k.tenant_id = m.tenant_id and k.id = m.contact_id and k.merged_into is null offset 0) c
      where m.tenant_id = tenant and m.client_id = client and m.address_norm = lower(given)
        and (lower(c.first_name) = lower(named) or contact_first_name_weight(c.first_name, named) >= 0)
      order by c.id is distinct from current, lower(c.first_name) is distinct from lower(named),
        lower(c.last_name) is distinct from lower(said ->> 'last_name'), c.id
      limit 1;
      exit when found_id is null;
      perform from contacts c where c.tenant_id = tenant and c.id = found_id and c.merged_into is null for no key update;
      exit when found;
      found_id := null;
    end loop;
    if found_id is not null then
      if is_complete then perform contact_learn(tenant, found_id, said, numbers, origin); end if;
      return found_id;
    end if;
    select c.id into found_id from contacts c where c.tenant_id = tenant and c.client_id = client and c.id = current and c.merged_into is null
      and contact_first_name_weight(c.first_name, named) >= 0 for no key update;
    stays := found_id is not null;
    with mail as (
      insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
      values (tenant, client, coalesce(found_id, lanyard_new_id()), given, places + 1, not stays)
      on conflict (tenant_id, client_id, address_norm, place) do nothing returning contact_id
    ), made as (
      insert into contacts (tenant_id, client_id, id, first_name, last_name, company, job_title, city, region, postal_code, country, language, linkedin,
        phones, provenance)
      select tenant, client, mail.contact_id, said ->> 'first_name', said ->> 'last_name', said ->> 'company', said ->> 'job_title', said ->> 'city',
        said ->> 'region', said ->> 'postal_code', said ->> 'country', said ->> 'language', said ->> 'linkedin', numbers, contact_origins(said, origin)
      from mail where not stays)
    select (select mail.contact_id from mail) into found_id;
    continue when found_id is null;
    if stays then
      update contact_emails m set is_primary = false where m.tenant_id = tenant and m.contact_id = found_id and m.is_primary;
      update contact_emails m set is_primary = true where m.tenant_id = tenant and m.contact_id = found_id and m.address_norm = lower(given);
      if is_complete then perform contact_learn(tenant, found_id, said, numbers, origin); end if;
    end if;
    if places > 0 then
      perform contact_pair_up(tenant, client, m.contact_id, found_id, case when is_complete then event end) from contact_emails m
      where m.tenant_id = tenant and m.client_id = client and m.address_norm = lower(given) and m.contact_id <> found_id;
    end if;
    return found_id;
  end loop;
end $$;

-- Those who are registered already. Of each address, who completed last gives the contact its name; whoever has a compatible one is the same person.
create temporary table address_people on commit drop as
select a.* from (
  select p.tenant_id, p.client_id, p.event_id, p.id, p.email, p.first_name, p.completed_at, p.created_at, p.work_phone, p.mobile_phone, p.said, p.origin,
    first_value(p.first_name) over latest as known_as, first_value(p.fresh) over latest as contact_id
  from (
    select p.*, e.client_id, (select coalesce(jsonb_object_agg(s.key, btrim(s.value)), '{}') from jsonb_each_text(to_jsonb(p)) s where btrim(s.value) <> '' and s.key = any(
        '{first_name,last_name,company,job_title,city,region,postal_code,country,language,linkedin}'::text[])) as said, lanyard_new_id() as fresh,
      case when p.source = 'import' then 'import' when p.source in ('web', 'assistant') then 'person' else 'organizer' end as origin
    from participants p join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
    where not p.is_test_data and btrim(p.email) <> '') p
  window latest as (partition by p.tenant_id, p.client_id, p.email_norm order by p.completed_at desc nulls last, p.created_at desc, p.id)) a
;
create temporary table address_others (like address_people) on commit drop;
with others as (
  delete from address_people a where a.first_name is distinct from a.known_as and contact_first_name_weight(a.known_as, a.first_name) < 0 returning *)
insert into address_others select * from others;
analyze address_people;

with said as (
  select distinct on (a.tenant_id, a.contact_id, s.key) a.tenant_id, a.contact_id, s.key, s.value, a.origin, coalesce(a.completed_at, a.created_at) as at
  from address_people a cross join lateral jsonb_each_text(a.said) s
  order by a.tenant_id, a.contact_id, s.key, contact_source_rank(a.origin) desc, a.completed_at desc nulls last, a.created_at desc
), known as (
  select s.tenant_id, s.contact_id, jsonb_object_agg(s.key, s.value) as fields,
    jsonb_object_agg(s.key, jsonb_build_object('source', s.origin, 'at', instant_shown(s.at))) as origins
  from said s group by 1, 2
), reached as (
  select a.tenant_id, a.client_id, a.contact_id, min(a.created_at) as since,
    array_agg(distinct n.phone) filter (where btrim(n.phone) <> '') as phones
  from address_people a cross join lateral unnest(array[a.work_phone, a.mobile_phone]) as n(phone) group by 1, 2, 3
)
insert into contacts (tenant_id, client_id, id, first_name, last_name, company, job_title, city, region, postal_code, country, language, linkedin,
  phones, provenance, created_at)
select h.tenant_id, h.client_id, h.contact_id, r.first_name, r.last_name, r.company, r.job_title, r.city, r.region, r.postal_code, r.country, r.language,
  r.linkedin, coalesce(h.phones, '{}'), coalesce(k.origins, '{}'), h.since
from reached h left join known k on k.tenant_id = h.tenant_id and k.contact_id = h.contact_id
cross join lateral jsonb_populate_record(null::contacts, coalesce(k.fields, '{}')) r;

insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
select distinct on (a.tenant_id, a.contact_id) a.tenant_id, a.client_id, a.contact_id, btrim(a.email), 1, true
from address_people a order by a.tenant_id, a.contact_id, a.completed_at desc nulls last, a.created_at desc;

create index participants_of_contact on participants (tenant_id, contact_id) where contact_id is not null;
update participants p set contact_id = a.contact_id from address_people a
where p.tenant_id = a.tenant_id and p.event_id = a.event_id and p.id = a.id;

alter table participants add constraint participants_contact foreign key (tenant_id, contact_id) references contacts,
  -- Nobody who was made up is anybody's contact.
  add constraint participants_no_test_contact check (not is_test_data or contact_id is null);
alter table speakers add constraint speakers_contact foreign key (tenant_id, contact_id) references contacts;
create index speakers_of_contact on speakers (tenant_id, contact_id) where contact_id is not null;

analyze contacts, contact_emails, participants (contact_id);

-- Others at those addresses, each as if they registered now, in the order in which they did.
do $$
declare
  other record;
begin
  for other in select o.*, p.status from address_others o
    join participants p on p.tenant_id = o.tenant_id and p.event_id = o.event_id and p.id = o.id order by o.created_at, o.id loop
    update participants p set contact_id = contact_of_person(other.tenant_id, other.event_id, btrim(other.email), other.said,
      array(select n from unnest(array[other.work_phone, other.mobile_phone]) n where btrim(n) <> ''), other.origin, null, other.status = 'complete')
    where p.tenant_id = other.tenant_id and p.event_id = other.event_id and p.id = other.id;
  end loop;
end $$;

-- A contact is read with its addresses and with the events of its registrations.
create function touch_contact() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if tg_op <> 'DELETE' then
    update contacts c set revision = c.revision where c.tenant_id = new.tenant_id and c.id = new.contact_id and not stamped_here(c.xmin);
  end if;
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and old.contact_id is distinct from new.contact_id) then
    update contacts c set revision = c.revision where c.tenant_id = old.tenant_id and c.id = old.contact_id and not stamped_here(c.xmin);
  end if;
  return null;
end $$;
create trigger contact_emails_shown after insert or delete or update of contact_id, address, is_primary, verified_at, bounced on contact_emails
for each row execute function touch_contact();
create trigger participants_came after insert on participants for each row
when (new.contact_id is not null and new.status = 'complete') execute function touch_contact();
create trigger participants_came_or_went after update of contact_id, status on participants for each row
when ((old.contact_id, old.status = 'complete') is distinct from (new.contact_id, new.status = 'complete')
  and (old.contact_id is not null or new.contact_id is not null) and (old.status = 'complete' or new.status = 'complete')) execute function touch_contact();
create trigger participants_went after delete on participants for each row
when (old.contact_id is not null and old.status = 'complete') execute function touch_contact();

-- What nobody is registered with any more is not kept: neither the address nor, when nothing else is known of them, the person. Whoever was merged
-- keeps what they had until that cannot be undone any more, so that only what is left of a registration goes.
create function participants_leave_contact() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from contact_emails m where m.tenant_id = old.tenant_id and m.contact_id = old.contact_id and m.address_norm = old.email_norm
    and not exists (select from participants p where p.tenant_id = m.tenant_id and p.contact_id = m.contact_id and p.email_norm = m.address_norm);
  delete from contacts c where c.tenant_id = old.tenant_id and c.id = old.contact_id and c.merged_into is null and c.external_ids = '{}'
    and not exists (select from participants p where p.tenant_id = c.tenant_id and p.contact_id = c.id)
    and not exists (select from speakers s where s.tenant_id = c.tenant_id and s.contact_id = c.id);
  update contact_emails m set is_primary = true where m.tenant_id = old.tenant_id and m.contact_id = old.contact_id
    and not exists (select from contact_emails o where o.tenant_id = m.tenant_id and o.contact_id = m.contact_id and o.is_primary)
    and m.address_norm = (select min(o.address_norm) from contact_emails o where o.tenant_id = m.tenant_id and o.contact_id = m.contact_id);
  return null;
end $$;
create trigger participants_left_contact after update of contact_id, email on participants for each row
when (old.contact_id is not null and (old.contact_id, old.email_norm) is distinct from (new.contact_id, new.email_norm))
execute function participants_leave_contact();
create trigger participants_left_for_good after delete on participants for each row
when (old.contact_id is not null) execute function participants_leave_contact();

-- A contact is at no event: what is gone is told at an event or at a client.
alter table deletions drop constraint deletions_pkey;
drop index deletions_changed;
alter table deletions alter column event_id drop not null,
  add column client_id text collate "C",
  add column place_id text collate "C" not null generated always as (coalesce(event_id, client_id)) stored,
  add primary key (tenant_id, place_id, entity, id),
  add foreign key (tenant_id, client_id) references clients,
  add check ((event_id is null) <> (client_id is null));
create index deletions_changed on deletions (tenant_id, place_id, updated_at, id);

create or replace function lanyard_gone() returns trigger language plpgsql as $$
declare
  at timestamptz := greatest(lanyard_now(), old.updated_at + interval '1 millisecond');
  event text := to_jsonb(old) ->> 'event_id';
begin
  if current_setting('lanyard.removed_tenant', true) = old.tenant_id::text then return null; end if;
  insert into deletions (tenant_id, event_id, client_id, entity, id, is_test_data, deleted_at, updated_at)
  values (old.tenant_id, event, case when event is null then to_jsonb(old) ->> 'client_id' end, tg_argv[0], old.id,
    coalesce((to_jsonb(old) ->> 'is_test_data')::boolean, false), at, at)
  on conflict (tenant_id, place_id, entity, id) do nothing;
  return null;
end $$;
create trigger contacts_gone after delete on contacts for each row execute function lanyard_gone('contact');

-- A message of what happened at a client as a whole.
alter table webhook_messages add column client_id text collate "C",
  add foreign key (tenant_id, client_id) references clients,
  add check (event_id is null or client_id is null);

-- Who came in or went out where, and who was not let. Written once: what is found out later is a flag, or that it was told before.
create table attendance_scans (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  -- Null: nobody has what was scanned.
  participant_id text collate "C",
  is_test_data boolean not null default false,
  -- The event as a whole is one gate.
  scope text not null check (scope in ('event', 'gate', 'session')),
  gate_code text collate "C",
  session_id text collate "C",
  direction text not null check (direction in ('in', 'out')),
  at timestamptz not null,
  received_at timestamptz not null default lanyard_now(),
  method text not null check (method in ('scan', 'manual', 'kiosk', 'rfid', 'import')),
  device_name text,
  nonce text collate "C",
  result text not null check (result in ('accepted', 'refused', 'duplicate')),
  reason text,
  -- { by, reason }: somebody let them in all the same.
  override jsonb check (override ?& '{by,reason}'),
  flag text,
  duplicate_of text collate "C",
  -- Nobody saw it: they were seen elsewhere next.
  assumed boolean not null default false,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data) on delete cascade,
  foreign key (tenant_id, event_id, session_id) references sessions,
  foreign key (tenant_id, event_id, duplicate_of) references attendance_scans on delete set null (duplicate_of),
  check ((scope = 'gate') = (gate_code is not null)),
  check ((scope = 'session') = (session_id is not null)),
  check (result <> 'refused' or reason is not null),
  check (result <> 'accepted' or participant_id is not null),
  check (duplicate_of <> id)
);
-- X8. A scanner that sends again what it sent is known by it.
create unique index attendance_scans_nonce on attendance_scans (tenant_id, event_id, coalesce(device_name, ''), nonce) where nonce is not null;
create index attendance_scans_changed on attendance_scans (tenant_id, event_id, updated_at, id);
create index attendance_scans_of_person on attendance_scans (tenant_id, event_id, participant_id, at) where participant_id is not null;
create index attendance_scans_of_session on attendance_scans (tenant_id, event_id, session_id, at) where session_id is not null;
create index attendance_scans_in_time on attendance_scans (tenant_id, event_id, at, id);
create index attendance_scans_repeated on attendance_scans (tenant_id, event_id, duplicate_of) where duplicate_of is not null;
create trigger attendance_scans_kept before update on attendance_scans
for each row execute function lanyard_written_once('flag', 'duplicate_of', 'revision', 'updated_at');
create trigger attendance_scans_touch before update on attendance_scans for each row execute function lanyard_touch();
create trigger attendance_scans_gone after delete on attendance_scans for each row execute function lanyard_gone('attendance');
