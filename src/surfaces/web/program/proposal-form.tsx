import { z } from 'zod'
import { email, name, text } from '../../../kernel/args.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { findUploadByReference, encryptUploadReference } from '../../../domains/files/kept-uploads.ts'
import { deleteUnclaimedUploads, type StoredUpload } from '../../../domains/files/upload.ts'
import { type AnswerUpload, listFileQuestions, type ProposalFile } from '../../../domains/submissions/proposal-files.ts'
import { type ProposedSession, type ProposedSpeaker, toSpeakerFieldName } from '../../../domains/submissions/public.ts'
import { Checkbox, ErrorText, type FieldErrors, findFieldError, Input, Select, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import type { EventSite } from '../event/event-site.ts'
import { listFieldValues } from '../form-values.ts'
import { translateFieldError } from '../register/messages.ts'
import { type FormWithFiles, readFormWithFiles, type FormUploadTarget } from '../uploads.ts'
import type { FormValues, WebContext, WebServices } from '../web.ts'

const MAX_TITLE = 200
const MAX_ABSTRACT = 5000
const MAX_CO_SPEAKERS = 9

const optional = (type: z.ZodType<string>) =>
  z.preprocess((value) => (typeof value === 'string' && value.trim() === '' ? undefined : value), type.optional())

const SessionForm = z.object({
  title: name(MAX_TITLE),
  abstract: text(MAX_ABSTRACT),
  trackCode: text(63),
  formatCode: text(63),
  keywords: optional(text(500)),
})
/** The form of a proposal that is saved as a draft: only the title is required. */
const DraftForm = SessionForm.extend({ abstract: optional(text(MAX_ABSTRACT)) })

const SpeakerForm = z.object({
  firstName: name(80),
  lastName: name(80),
  email: email(),
  company: optional(name()),
  jobTitle: optional(name()),
})

const SPEAKER_KEYS = Object.keys(SpeakerForm.shape)

/** Whether any field of this speaker is filled in. */
const isNamed = (values: FormValues, n: number): boolean =>
  SPEAKER_KEYS.some((field) => (values[toSpeakerFieldName(n, field)] ?? '').trim() !== '')

const LABELLED = [
  'title',
  'abstract',
  'trackCode',
  'formatCode',
  'keywords',
  'firstName',
  'lastName',
  'email',
  'company',
  'jobTitle',
] as const
type Labelled = (typeof LABELLED)[number]

const listQuestions = ({ config }: EventSite) =>
  config.customFields.filter(({ code, retired }) => config.sessions.submissionFields.includes(code) && !retired)

const answerPath = (code: string) => `answers.${code}`

/** The name of the hidden field that keeps an uploaded file while its form is shown again with errors. */
const keptPath = (code: string) => `kept.${code}`
const keptPlace = ({ event }: EventSite, code: string) => `proposal ${event.id} ${code}`

export interface ProposalFormState {
  values: FormValues
  errors: FieldErrors
  /** The files that are already stored with the proposal, by the code of their question. */
  files?: ReadonlyMap<string, ProposalFile>
  /**
   * The uploaded files of a form that was refused, by the code of their question. Hidden fields send them again with the corrected form.
   */
  kept?: ReadonlyMap<string, KeptFile>
}

interface KeptFile {
  name: string
  sealed: string
}

export interface SubmittedProposalForm {
  form: FormValues
  files: FormWithFiles['files']
  uploads: AnswerUpload[]
  /** Errors about uploaded files that were refused. */
  errors: FieldErrors
}

/** Reads a form with its files, also those that an earlier attempt sent. Null for a form from another site. */
export async function readProposalForm(web: WebServices, c: WebContext, site: EventSite): Promise<SubmittedProposalForm | null> {
  const { tenantId, config } = site
  const targets = listFileQuestions(config).map(({ code, maxBytes, accept }): [string, FormUploadTarget] => [
    answerPath(code),
    { tenantId, purpose: 'answer', maxBytes, ...(accept.length > 0 ? { accept } : {}) },
  ])
  const sent = await readFormWithFiles(web, c, Object.fromEntries(targets))
  if (!sent) return null
  const { form, refused } = sent
  const files = [...sent.files, ...(await takeKeptFiles(web, site, sent))]
  const uploads = files.map(({ field, upload }) => ({ code: field.slice(answerPath('').length), upload }))
  return { form, files, uploads, errors: toProposalFieldErrors(site, form, refused) }
}

/** Finds the files that an earlier attempt uploaded, for questions without a new file. Deletes those that a new file replaces. */
async function takeKeptFiles(web: WebServices, site: EventSite, { form, files }: FormWithFiles): Promise<FormWithFiles['files']> {
  const { database, keys, files: store, log } = web.services
  const kept: FormWithFiles['files'] = []
  const replaced: StoredUpload[] = []
  for (const { code } of listFileQuestions(site.config)) {
    const sealed = form[keptPath(code)]
    const upload = sealed ? await findUploadByReference({ db: database.write, keys }, sealed, keptPlace(site, code)) : null
    if (!upload) continue
    if (files.some(({ field }) => field === answerPath(code))) replaced.push(upload)
    else kept.push({ field: answerPath(code), upload })
  }
  await deleteUnclaimedUploads({ db: database.write, files: store, log }, replaced)
  return kept
}

/**
 * Encrypts references to the uploaded files of a refused form. The page sends them again with the corrected form, so that no file is lost.
 */
export const preserveProposalUploads = (
  web: WebServices,
  site: EventSite,
  uploads: readonly AnswerUpload[],
): NonNullable<ProposalFormState['kept']> =>
  new Map(
    uploads.map(({ code, upload }) => [
      code,
      { name: upload.name, sealed: encryptUploadReference(web.services.keys, upload, keptPlace(site, code)) },
    ]),
  )

/**
 * Creates error messages in the visitor's language. Each names the label of its field, and the reason if the field is empty or too long.
 */
export function createProposalFieldErrors(site: EventSite, form: FormValues, paths: readonly string[]): FieldErrors {
  const { say } = site.words
  const labelOf = (path: string): string => {
    const [, n, field] = /^co(\d)\.(\w+)$/.exec(path) ?? []
    if (n) return `${say('papers.coSpeaker', { n })}, ${labelOf(field!)}`
    const known = LABELLED.find((one) => one === path)
    return known ? say(`papers.${known}`) : (listQuestions(site).find(({ code }) => answerPath(code) === path)?.name ?? path)
  }
  const limits: Partial<Record<string, number>> = { title: MAX_TITLE, abstract: MAX_ABSTRACT }
  return [...new Set(paths)].map((path) => {
    const field = labelOf(path)
    const value = (form[path] ?? '').trim()
    const limit = limits[path]
    if (value === '') return { path, message: say('error.required', { label: field }) }
    if (limit !== undefined && value.length > limit) return { path, message: say('papers.tooLong', { field, count: value.length, limit }) }
    return { path, message: say('papers.check', { field }) }
  })
}

/** Converts the field errors of a rejected proposal to messages in the visitor's language. */
export const toProposalFieldErrors = (site: EventSite, form: FormValues, fields: readonly FieldError[]): FieldErrors =>
  fields.flatMap((error) =>
    error.reason?.always
      ? [{ path: error.path, message: translateFieldError({ words: site.words, config: site.config, missing: [] }, error) }]
      : createProposalFieldErrors(site, form, [error.path]),
  )

/** Reads title, texts and answers of a proposal. A draft may lack its abstract. */
export function readProposalTexts(site: EventSite, form: FormValues, isDraft: boolean): { session: ProposedSession } | { paths: string[] } {
  const parsed = (isDraft ? DraftForm : SessionForm).safeParse(form)
  if (!parsed.success) return { paths: parsed.error.issues.map(({ path }) => path.join('.')) }
  const { keywords, ...fields } = parsed.data
  const words = (keywords ?? '').split(',').map((word) => word.trim())
  const answers = listQuestions(site).flatMap(({ code, responseType }): [string, unknown][] => {
    const path = answerPath(code)
    // Answers that are files are stored separately, and kept until they are replaced.
    if (responseType === 'file') return []
    if (responseType === 'multiChoice') return [[code, listFieldValues(form, path).filter((value) => value !== '')]]
    if (responseType === 'boolean') return [[code, form[path] === 'on']]
    return form[path] ? [[code, form[path]]] : []
  })
  const session = { ...fields, keywords: [...new Set(words.filter(Boolean))].slice(0, 20), answers: Object.fromEntries(answers) }
  return { session }
}

/** Reads the submitter and the other speakers from the form. */
export function readProposalSpeakers(form: FormValues): { speakers: ProposedSpeaker[] } | { paths: string[] } {
  const speakers: ProposedSpeaker[] = []
  const paths: string[] = []
  for (let n = 0; n <= MAX_CO_SPEAKERS; n++) {
    // A speaker whose fields are all empty is left out.
    if (n > 0 && !isNamed(form, n)) continue
    const given = Object.fromEntries(SPEAKER_KEYS.map((field) => [field, form[toSpeakerFieldName(n, field)]]))
    const parsed = SpeakerForm.safeParse(given)
    if (parsed.success) speakers.push(parsed.data)
    else paths.push(...parsed.error.issues.map(({ path }) => toSpeakerFieldName(n, path.join('.'))))
  }
  return paths.length > 0 ? { paths } : { speakers }
}

function Question({
  site,
  question,
  state,
}: {
  site: EventSite
  question: ReturnType<typeof listQuestions>[number]
  state: ProposalFormState
}) {
  const path = answerPath(question.code)
  const value = state.values[path]
  const field = { name: path, label: question.name, help: question.help ?? undefined, value, error: findFieldError(state.errors, path) }
  const choices = question.choices.filter(({ retired }) => !retired).map(({ code, name: label }) => ({ value: code, label }))
  switch (question.responseType) {
    case 'longText':
      return <TextArea {...field} rows={4} />
    case 'choice':
      return <Select {...field} options={[{ value: '', label: '–' }, ...choices]} />
    case 'boolean':
      return <Checkbox name={path} label={question.name} checked={value === 'on'} />
    case 'multiChoice': {
      const chosen = listFieldValues(state.values, path)
      return (
        <fieldset id={path}>
          <legend lang={site.langOf(question.name)}>{question.name}</legend>
          {choices.map((choice) => (
            <Checkbox
              name={path}
              id={`${path}.${choice.value}`}
              value={choice.value}
              label={choice.label}
              checked={chosen.includes(choice.value)}
            />
          ))}
        </fieldset>
      )
    }
    case 'date':
      return <Input {...field} type="date" />
    case 'file':
      return <FileQuestion site={site} question={question} state={state} />
    default:
      return <Input {...field} />
  }
}

const BYTES_PER_MEGABYTE = 1_048_576

function FileQuestion({ site, question, state }: Parameters<typeof Question>[0]) {
  const { say } = site.words
  const path = answerPath(question.code)
  const kept = state.kept?.get(question.code)
  const [saved, error] = [kept ?? state.files?.get(question.code), findFieldError(state.errors, path)]
  const limit = say('register.fileHelp', { megabytes: Math.max(1, Math.round(question.maxBytes / BYTES_PER_MEGABYTE)) })
  return (
    <div class="field">
      <label for={path} lang={site.langOf(question.name)}>
        {question.name}
      </label>
      {kept ? <input type="hidden" name={keptPath(question.code)} value={kept.sealed} /> : null}
      <input
        id={path}
        name={path}
        type="file"
        accept={question.accept.join(',') || undefined}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error ? `${path}-help ${path}-error` : `${path}-help`}
      />
      <span class="help" id={`${path}-help`}>
        {[question.help, saved ? say('field.file', { name: saved.name }) : limit].filter(Boolean).join(' ')}
      </span>
      <ErrorText name={path} error={error} />
    </div>
  )
}

const OPTIONAL_FIELDS: readonly Labelled[] = ['keywords', 'company', 'jobTitle']

const fieldOf = ({ words: { say } }: EventSite, { values, errors }: ProposalFormState, path: string, key: Labelled) => ({
  name: path,
  label: say(`papers.${key}`),
  optional: OPTIONAL_FIELDS.includes(key) ? say('field.optional') : undefined,
  value: values[path],
  error: findFieldError(errors, path),
})

/** The form fields for title, texts and answers. Only the committee changes track and format of a submitted proposal. */
export function SessionFields({ site, state, hasCodes = true }: { site: EventSite; state: ProposalFormState; hasCodes?: boolean }) {
  const { say } = site.words
  const { tracks, formats } = site.config.sessions
  const field = (key: Labelled) => fieldOf(site, state, key, key)
  return (
    <Card title={say('papers.proposal')}>
      <div class="stack">
        <Input {...field('title')} maxlength={MAX_TITLE} />
        <TextArea {...field('abstract')} help={say('papers.abstractHelp')} rows={8} />
        {hasCodes ? (
          <div class="halves">
            <Select {...field('trackCode')} options={tracks.map(({ code, name: label }) => ({ value: code, label }))} />
            <Select
              {...field('formatCode')}
              options={formats.map(({ code, name: label, minutes }) => ({
                value: code,
                label: say('papers.format', { format: label, minutes }),
              }))}
            />
          </div>
        ) : null}
        <Input {...field('keywords')} help={say('papers.keywordsHelp')} />
        {listQuestions(site).map((question) => (
          <Question site={site} question={question} state={state} />
        ))}
      </div>
    </Card>
  )
}

/** The fields of a speaker. Fields in the same list are on the same line of the form. */
const SPEAKER_LINES = [
  [
    { key: 'firstName', autocomplete: 'given-name' },
    { key: 'lastName', autocomplete: 'family-name' },
  ],
  [{ key: 'email', autocomplete: 'email' }],
  [
    { key: 'company', autocomplete: 'organization' },
    { key: 'jobTitle', autocomplete: 'organization-title' },
  ],
] as const

/** The form fields for the submitter and the other speakers. */
export const SpeakerFields = ({ site, state }: { site: EventSite; state: ProposalFormState }) => (
  <Card title={site.words.say('papers.speaker')}>
    <OneSpeaker site={site} state={state} n={0} />
    <CoSpeakers site={site} state={state} n={1} />
  </Card>
)

/**
 * The collapsed fields of one more speaker, followed by those of the next one. The browser expands them without a request, because a
 * request would lose the files that the visitor has chosen.
 */
function CoSpeakers({ site, state, n }: { site: EventSite; state: ProposalFormState; n: number }) {
  const { say } = site.words
  const isUsed = Array.from({ length: MAX_CO_SPEAKERS - n + 1 }, (_, i) => n + i).some((later) => isNamed(state.values, later))
  return (
    <details class="add-more" open={isUsed}>
      <summary>
        <span class="button">{say('papers.addSpeaker')}</span>
        <span class="opened">{say('papers.coSpeaker', { n })}</span>
      </summary>
      <div role="group" aria-label={say('papers.coSpeaker', { n })}>
        <OneSpeaker site={site} state={state} n={n} />
      </div>
      {n < MAX_CO_SPEAKERS ? <CoSpeakers site={site} state={state} n={n + 1} /> : null}
    </details>
  )
}

const OneSpeaker = ({ site, state, n }: { site: EventSite; state: ProposalFormState; n: number }) => (
  <div class="stack">
    {SPEAKER_LINES.map((fields) => (
      <div class={fields.length === 1 ? undefined : 'halves'}>
        {fields.map(({ key, autocomplete }) => (
          <Input
            {...fieldOf(site, state, toSpeakerFieldName(n, key), key)}
            {...(key === 'email' ? { type: 'email' as const } : {})}
            autocomplete={n === 0 ? autocomplete : 'off'}
          />
        ))}
      </div>
    ))}
  </div>
)
