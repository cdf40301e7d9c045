-- What goes out with a mail. The content is here, or in the file it is taken from; it goes with the body, and that it was there stays.
create table message_attachments (
  tenant_id integer not null references tenants,
  message_id text collate "C" not null,
  position smallint not null check (position >= 0),
  name text not null,
  mime text not null,
  -- A picture that the HTML shows as cid:<content_id>.
  content_id text,
  size integer not null check (size between 0 and 5242880),
  bytes bytea check (octet_length(bytes) <= 5242880),
  file_id text collate "C",
  primary key (tenant_id, message_id, position),
  foreign key (tenant_id, message_id) references messages on delete cascade
);

-- Which language an organizer's browser last asked for: mails to them are written in it.
alter table users add column language text;
