import { z } from 'zod'
import { MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE, type MemoryText } from '../../../domains/memories/memories.ts'
import type { Place } from '../../../domains/memories/places.ts'
import { day, list, name, object, text } from '../../../kernel/args.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { dayIn, endOfDay } from '../../../kernel/time.ts'
import { Actions, Button, Checkbox, errorOf, Form, Input, LinkButton, Select, TextArea } from '../components/forms.tsx'
import { type Label, readFields, type Refused } from '../fields.ts'
import type { FormValues } from '../web.ts'
import type { AtClient } from './at-client.ts'

const LABELS: Record<string, string> = { title: 'Title', text: 'Text', tags: 'Tags', expiresOn: 'Forget after' }
export const memoryLabel: Label = (path) => LABELS[path.split('/')[0]!] ?? ''

/** Where something can be written, as a choice; the client itself has no code. */
export const placeOptions = (at: AtClient, events: readonly { code: string; name: string }[]) => [
  { value: '', label: `All of ${at.client.name}` },
  ...events.map(({ code, name }) => ({ value: code, label: `Only ${name}` })),
]

const tag = () => text(MAX_TAG).transform((word) => word.normalize('NFKC').toLowerCase())

const Typed = object({
  title: name(MAX_TITLE),
  text: text(MAX_TEXT),
  tags: list(tag(), MAX_TAGS),
  pinned: z.boolean(),
  expiresOn: day().optional(),
})

/** What the form says. A memory lasts until its last day is over where the event, or else the client, is at home. */
export function readMemory(form: FormValues, place: Place): { data: MemoryText } | Refused {
  const given = {
    title: form['title'] ?? '',
    text: cleanText(form['text'] ?? ''),
    tags: (form['tags'] ?? '').split(/[,\n]/).flatMap((word) => cleanText(word).trim() || []),
    pinned: form['pinned'] === 'on',
    expiresOn: form['expiresOn']?.trim() || undefined,
  }
  const read = readFields(Typed, given, memoryLabel)
  if ('errors' in read) return { errors: read.errors.map((e) => ({ ...e, path: e.path.split('/')[0]! })) }
  const { expiresOn, tags, ...rest } = read.data
  return { data: { ...rest, tags: [...new Set(tags)], expiresAt: expiresOn ? endOfDay(place.timezone, expiresOn) : null } }
}

type Kept = Pick<MemoryText, 'title' | 'text' | 'tags' | 'pinned' | 'expiresAt'> & { revision: number }

export const memoryValues = (memory: Kept, place: Place): FormValues => ({
  place: place.eventCode ?? '',
  title: memory.title,
  text: memory.text,
  tags: memory.tags.join(', '),
  pinned: memory.pinned ? 'on' : '',
  // The instant is the start of the day after.
  expiresOn: memory.expiresAt ? dayIn(place.timezone, new Date(memory.expiresAt.getTime() - 1)) : '',
  revision: String(memory.revision),
})

interface Fields {
  at: AtClient
  action: string
  csrf: string
  form: FormValues
  refused: Refused
  places: readonly { value: string; label: string }[]
}

export const MemoryForm = ({ at, action, csrf, form, refused, places }: Fields) => {
  const field = (name: string) => ({ name, value: form[name], error: errorOf(refused.errors, name) })
  return (
    <Form action={action} csrf={csrf} class="stack-l">
      <input type="hidden" name="revision" value={form['revision'] ?? ''} />
      <Input {...field('title')} label="Title" maxlength={MAX_TITLE} autocomplete="off" required />
      <TextArea {...field('text')} label="Text" rows={8} help={`What an assistant should know; at most ${MAX_TEXT} characters.`} />
      <div class="fields-2">
        <Select {...field('place')} label="About" options={places} />
        <Input {...field('tags')} label="Tags" autocomplete="off" help="Words to find it by, with commas between them" />
        <Input {...field('expiresOn')} type="date" label="Forget after" help="Left empty, it is kept until somebody deletes it." />
      </div>
      <Checkbox name="pinned" label="Pin it" help="Pinned memories come before the others." checked={form['pinned'] === 'on'} />
      <Actions>
        <Button tone="primary">Save memory</Button>
        <LinkButton href={`${at.base}/memory`}>Cancel</LinkButton>
      </Actions>
    </Form>
  )
}
