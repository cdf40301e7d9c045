import { z } from 'zod'
import {
  MAX_TAG_CHARACTERS,
  MAX_MEMORY_TAGS,
  MAX_TEXT_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  type AssistantMemoryContent,
} from '../../../domains/memories/memories.ts'
import type { AssistantMemorySubject } from '../../../domains/memories/places.ts'
import { day, list, name, object, text } from '../../../kernel/args.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { toDayInZone, endOfDay } from '../../../kernel/time.ts'
import { formatInteger } from '../components/figures.tsx'
import { FormCard, createFieldPropsGetter } from '../components/form-page.tsx'
import { Checkbox, Input, Select, TextArea } from '../components/forms.tsx'
import { type FieldLabelLookup, validateFormFields, type FormErrors } from '../fields.ts'
import type { FormValues } from '../web.ts'
import type { ClientPageContext } from './client-page.ts'

const LABELS: Record<string, string> = { title: 'Title', text: 'Text', tags: 'Tags', expiresOn: 'Expires after' }
export const getMemoryFieldLabel: FieldLabelLookup = (path) => LABELS[path.split('/')[0]!] ?? ''

/** Options of the scope field: the client itself, which has no event code, and its events. */
export const listMemoryScopeOptions = (at: ClientPageContext, events: readonly { code: string; name: string }[]) => [
  { value: '', label: `All of ${at.client.name}` },
  ...events.map(({ code, name }) => ({ value: code, label: `Only ${name}` })),
]

const tag = () => text(MAX_TAG_CHARACTERS).transform((word) => word.normalize('NFKC').toLowerCase())

const MemoryInput = object({
  title: name(MAX_TITLE_CHARACTERS),
  text: text(MAX_TEXT_CHARACTERS),
  tags: list(tag(), MAX_MEMORY_TAGS),
  pinned: z.boolean(),
  expiresOn: day().optional(),
})

/** Reads a submitted memory (a note for assistants). It expires at the end of the entered day in the time zone of the event or client. */
export function readAssistantMemoryForm(form: FormValues, place: AssistantMemorySubject): { data: AssistantMemoryContent } | FormErrors {
  const given = {
    title: form['title'] ?? '',
    text: cleanText(form['text'] ?? ''),
    tags: (form['tags'] ?? '').split(/[,\n]/).flatMap((word) => cleanText(word).trim() || []),
    pinned: form['pinned'] === 'on',
    expiresOn: form['expiresOn']?.trim() || undefined,
  }
  const read = validateFormFields(MemoryInput, given, getMemoryFieldLabel)
  if ('errors' in read) return { errors: read.errors.map((e) => ({ ...e, path: e.path.split('/')[0]! })) }
  const { expiresOn, tags, ...rest } = read.data
  return { data: { ...rest, tags: [...new Set(tags)], expiresAt: expiresOn ? endOfDay(place.timezone, expiresOn) : null } }
}

type StoredMemory = Pick<AssistantMemoryContent, 'title' | 'text' | 'tags' | 'pinned' | 'expiresAt'> & { revision: number }

export const toAssistantMemoryFormValues = (memory: StoredMemory, place: AssistantMemorySubject): FormValues => ({
  place: place.eventCode ?? '',
  title: memory.title,
  text: memory.text,
  tags: memory.tags.join(', '),
  pinned: memory.pinned ? 'on' : '',
  // The stored expiry is the start of the day after the last valid day, so one millisecond earlier is on the last valid day.
  expiresOn: memory.expiresAt ? toDayInZone(place.timezone, new Date(memory.expiresAt.getTime() - 1)) : '',
  revision: String(memory.revision),
})

interface Fields {
  at: ClientPageContext
  action: string
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
  places: readonly { value: string; label: string }[]
}

export const AssistantMemoryForm = ({ at, action, csrf, form, formErrors, places }: Fields) => {
  const field = createFieldPropsGetter(form, formErrors)
  return (
    <FormCard
      action={action}
      csrf={csrf}
      class="stack-l"
      hidden={{ revision: form['revision'] }}
      submit="Save memory"
      cancel={`${at.base}/memory`}
    >
      <Input {...field('title')} label="Title" maxlength={MAX_TITLE_CHARACTERS} autocomplete="off" required />
      <TextArea
        {...field('text')}
        label="Text"
        rows={8}
        help={`Information for assistants, at most ${formatInteger(MAX_TEXT_CHARACTERS)} characters.`}
      />
      <div class="fields-2">
        <Select {...field('place')} label="About" options={places} />
        <Input {...field('tags')} label="Tags" autocomplete="off" help="Search words, separated by commas" />
        <Input {...field('expiresOn')} type="date" label="Expires after" help="Leave empty to keep it until it is deleted." />
      </div>
      <Checkbox name="pinned" label="Pin this memory" help="Pinned memories are listed first." checked={form['pinned'] === 'on'} />
    </FormCard>
  )
}
