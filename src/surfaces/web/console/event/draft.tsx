import { impactsOf } from '../../../../domains/authoring/impacts.ts'
import { publishEvent } from '../../../../domains/authoring/publish.ts'
import { tellDifferences } from '../../../../domains/configuration/compare.ts'
import { lastEdits } from '../../../../domains/configuration/last-edits.ts'
import { type Configuration, readDraft } from '../../../../domains/configuration/read.ts'
import { getRegistrationSummary } from '../../../../domains/registration/summary.ts'
import { count, object, text } from '../../../../kernel/args.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { formatList } from '../../../../kernel/language/format.ts'
import { numberInWords } from '../../components/figures.tsx'
import { Button, ErrorSummary, Form, Input, LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Ask, Badge, Card, Notice } from '../../components/parts.tsx'
import { attempt, type Label, readFields, type Refused } from '../../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../../web.ts'
import { consolePages, formOf, frame } from '../frame.tsx'
import { atEvent, type AtEvent, changeAtEvent, EVENT_PATH, previewAtEvent } from './at-event.ts'
import { Changes, changesInWords, MOST_CHANGES } from './changes.tsx'

const PATH = `${EVENT_PATH}/draft`

const labelOf: Label = (path) => (path === 'note' ? 'Note' : '')
const Publishing = object({ note: text(500).optional(), revision: count(1, 2_147_483_647) })

type Outcome = Awaited<ReturnType<typeof publishEvent>>

/** What publishing would do now, or why it would be refused. */
async function dryRun(web: Web, at: AtEvent): Promise<{ outcome: Outcome } | { refusal: AppError }> {
  try {
    return { outcome: await previewAtEvent(web, at, 'publish_event', (ctx) => publishEvent(ctx, { acceptWarnings: true })) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return { refusal: error }
    throw error
  }
}

function outcomeInWords({ version, effects }: Outcome, { config }: Configuration, unfinished: number | null): string {
  const named = (codes: readonly string[], items: readonly { code: string; name?: string; title?: string }[]) =>
    formatList(
      'en-GB',
      codes.map((code) => {
        const item = items.find((one) => one.code === code)
        return item?.name ?? item?.title ?? code
      }),
    )
  const { pricesChanged, capacitiesChanged, reconsentPolicies } = effects
  return [
    `version ${version} is live at once.`,
    ...(unfinished
      ? [`${unfinished === 1 ? '1 unfinished registration goes' : `${numberInWords(unfinished)} unfinished registrations go`} on in it.`]
      : []),
    ...(pricesChanged.length > 0
      ? [`New prices for ${named(pricesChanged, config.products)}; who has registered is not charged again.`]
      : []),
    ...(capacitiesChanged.length > 0 ? [`New limits for ${named(capacitiesChanged, config.products)}.`] : []),
    ...(reconsentPolicies.length > 0 ? [`New wording of ${named(reconsentPolicies, config.policies)}, to be agreed to anew.`] : []),
    'No mail is sent.',
  ].join(' ')
}

const Refusal = ({ refusal, at }: { refusal: AppError; at: AtEvent }) => (
  <div class="stack">
    <Notice tone="warning">
      <strong>It cannot be published yet.</strong>
      <ul>
        {(refusal.details.fields ?? [{ path: '', message: refusal.message }]).slice(0, 20).map(({ path, message }) => (
          <li>
            {path && path !== '/' ? <code>{path}</code> : null} {message}
          </li>
        ))}
      </ul>
    </Notice>
    {at.event.status === 'archived' ? null : (
      <Ask
        id="ask-mend"
        text={`For ${at.event.name}: check the configuration and mend what keeps it from being published. Tell me what you changed.`}
      />
    )}
  </div>
)

/** What publishing does, directly above the button that does it. */
const PublishCard = (props: {
  at: AtEvent
  draft: Configuration
  outcome: Outcome
  unfinished: number | null
  csrf: string
  form: FormValues
}) => {
  const { at, draft, outcome, unfinished, csrf, form } = props
  const warnings = outcome.issues.filter(({ level }) => level === 'warning')
  const live = draft.facts.publishedVersion
  return (
    <Card title="Publish">
      <Form action={`${at.base}/draft/publish`} csrf={csrf} class="stack">
        <input type="hidden" name="revision" value={String(draft.facts.draftRevision)} />
        <p class="outcome">
          <strong>If you publish:</strong> {outcomeInWords(outcome, draft, unfinished)}
        </p>
        {warnings.length > 0 ? (
          <details class="more">
            <summary>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</summary>
            <ul class="plain">
              {warnings.slice(0, 20).map(({ path, message }) => (
                <li>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          </details>
        ) : null}
        <Input
          name="note"
          label="Note"
          optional="(optional)"
          value={form['note']}
          maxlength={500}
          autocomplete="off"
          help="What this version is about, for your colleagues"
        />
        <div class="actions">
          <Button tone="primary">{`Publish version ${outcome.version}`}</Button>
          {live !== null && at.permissions.has('events.write') ? (
            <a class="button quiet danger" href={`${at.base}/versions/${live}/restore`}>
              Discard the draft…
            </a>
          ) : null}
        </div>
      </Form>
    </Card>
  )
}

/** `…/draft`: what is in the draft and not live, and making it so. */
export function draftPages(web: Web) {
  async function page(c: WebContext, at: AtEvent, form: FormValues = {}, refused: Refused | null = null) {
    const draft = await readDraft(at.reading)
    const { changes, total } = await tellDifferences(at.reading, { from: 'live', to: 'draft', most: MOST_CHANGES }, impactsOf)
    const edits = await lastEdits(
      at.reading,
      changes.map(({ path }) => path),
    )
    const mayPublish = at.permissions.has('events.publish')
    const isNew = draft.facts.publishedVersion === null
    const tried = mayPublish && (total > 0 || isNew) ? await dryRun(web, at) : null
    const unfinished =
      tried && 'outcome' in tried && at.permissions.has('registration.read')
        ? (await getRegistrationSummary(at.reading, { includeTestData: false })).participants.incomplete
        : null
    return frame(
      web,
      c,
      { title: `Draft of ${at.event.name}`, current: `${at.base}/draft`, client: at.client, event: at, status: refused ? 400 : 200 },
      <>
        <Heading
          title="Draft"
          text={isNew ? 'Nothing is live yet.' : `Compared with version ${draft.facts.publishedVersion}, which is live.`}
          crumbs={[{ href: at.base, label: at.event.name }]}
        />
        <ErrorSummary {...refused} />
        <Card
          title={isNew ? 'What is in the draft' : 'What differs from what is live'}
          actions={<Badge tone="accent">{changesInWords(total)}</Badge>}
        >
          {total === 0 ? (
            <p class="muted">{isNew ? 'The draft is empty.' : 'The draft is what is live.'}</p>
          ) : (
            <Changes changes={changes} edits={edits} />
          )}
          {total > changes.length ? (
            <p class="muted lead-out">{`and ${total - changes.length} more. Ask your assistant for all of them.`}</p>
          ) : null}
        </Card>
        {mayPublish ? null : <Notice>You can see the draft. Publishing it needs the events.publish permission.</Notice>}
        {tried && 'refusal' in tried ? <Refusal refusal={tried.refusal} at={at} /> : null}
        {tried && 'outcome' in tried ? (
          <PublishCard at={at} draft={draft} outcome={tried.outcome} unfinished={unfinished} csrf={csrfFor(web, c)} form={form} />
        ) : null}
        {tried && 'outcome' in tried ? null : <LinkButton href={at.base}>Back to the event</LinkButton>}
      </>,
    )
  }

  return consolePages(web)
    .get(PATH, async (c) => page(c, await atEvent(web, c, 'events.read')))
    .post(`${PATH}/publish`, async (c) => {
      const form = await formOf(web, c)
      const at = await atEvent(web, c, 'events.publish')
      const read = readFields(Publishing, { note: form['note']?.trim() || undefined, revision: Number(form['revision']) }, labelOf)
      if ('errors' in read) return page(c, at, form, read)
      const { note, revision } = read.data
      const refused = await attempt(
        () => changeAtEvent(web, at, 'publish_event', (ctx) => publishEvent(ctx, { note, ifRevision: revision, acceptWarnings: true })),
        () => '',
      )
      if (refused?.reason === 'movedOn')
        return page(c, at, form, {
          message: 'Somebody changed the draft while you looked at it. These are the changes now: look again, then publish.',
        })
      if (refused) return page(c, at, form, refused)
      return c.redirect(`${at.base}?done=published`, 303)
    })
}
