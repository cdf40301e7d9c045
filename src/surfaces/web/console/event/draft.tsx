import { countChangeImpacts } from '../../../../domains/authoring/impacts.ts'
import { publishEvent } from '../../../../domains/authoring/publish.ts'
import { describeDifferences } from '../../../../domains/configuration/compare.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { findLastEdits } from '../../../../domains/configuration/last-edits.ts'
import { type Configuration, readDraftConfiguration } from '../../../../domains/configuration/read.ts'
import { getRegistrationSummary } from '../../../../domains/registration/summary/summary.ts'
import { count, object, text } from '../../../../kernel/args.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { formatList } from '../../../../kernel/language/format.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Input, LinkButton } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { AssistantPrompt, StatusLabel, Card, Notice } from '../../components/parts.tsx'
import { ConfirmForm } from '../../components/preview-then-confirm.tsx'
import { catchFormErrors, type FieldLabelLookup, validateFormFields, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../../web.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getEventPageContext, type EventPageContext, runEventChange, CONSOLE_EVENT_PATH, previewEventChange } from './event-page.ts'
import { ChangeList, formatChangeCount, MAX_LISTED_CHANGES } from './changes.tsx'
import { messageStartsWithVerb, describeSetting, toTypographicQuotes, isSettingNamedInMessage } from './setting-titles.ts'

const PATH = `${CONSOLE_EVENT_PATH}/draft`

const labelOf: FieldLabelLookup = (path) => (path === 'note' ? 'Note' : '')
const PublishInput = object({ note: text(500).optional(), revision: count(1, 2_147_483_647) })

type Outcome = Awaited<ReturnType<typeof publishEvent>>

/** Returns the effects of publishing now, or the error that prevents it. */
async function dryRun(web: WebServices, at: EventPageContext): Promise<{ outcome: Outcome } | { refusal: AppError }> {
  try {
    return { outcome: await previewEventChange(web, at, 'publish_event', (ctx) => publishEvent(ctx, { acceptWarnings: true })) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return { refusal: error }
    throw error
  }
}

function describeOutcome({ version, effects }: Outcome, { config }: Configuration, unfinished: number | null): string {
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
      ? [
          `${unfinished === 1 ? '1 unfinished registration continues' : `${formatInteger(unfinished)} unfinished registrations continue`} in it.`,
        ]
      : []),
    ...(pricesChanged.length > 0
      ? [`New prices for ${named(pricesChanged, config.products)}. People who have registered are not charged again.`]
      : []),
    ...(capacitiesChanged.length > 0 ? [`New limits for ${named(capacitiesChanged, config.products)}.`] : []),
    ...(reconsentPolicies.length > 0 ? [`New wording of ${named(reconsentPolicies, config.policies)}, which must be accepted again.`] : []),
    'No email is sent.',
  ].join(' ')
}

/**
 * An error or warning about the draft. The name of its setting comes first, unless the message contains the name: "Price of “Delegate”: …".
 */
const IssueText = ({ config, path, message }: { config: EventConfig; path: string; message: string }) => {
  const place = describeSetting(config, path)
  const text = toTypographicQuotes(message)
  return (
    <>
      {place && !isSettingNamedInMessage(place, text) ? (
        <>
          <strong dir="auto">{place}</strong>
          {messageStartsWithVerb(message) ? ' ' : ': '}
        </>
      ) : null}
      <bdi>{text}</bdi>
    </>
  )
}

const MAX_LISTED_ISSUES = 20
/** Maximum number of warnings that are visible at first; a longer list is collapsed. */
const MAX_UNFOLDED_WARNINGS = 5

const IssueList = ({ config, issues }: { config: EventConfig; issues: readonly { path: string; message: string }[] }) => (
  <ul>
    {issues.slice(0, MAX_LISTED_ISSUES).map(({ path, message }) => (
      <li>
        <IssueText config={config} path={path} message={message} />
      </li>
    ))}
  </ul>
)

const PublishErrors = ({ refusal, at, config }: { refusal: AppError; at: EventPageContext; config: EventConfig }) => (
  <div class="stack">
    <Notice tone="warning">
      <strong>The draft cannot be published yet.</strong>
      <IssueList config={config} issues={refusal.details.fields ?? [{ path: '', message: refusal.message }]} />
    </Notice>
    {at.event.status === 'archived' ? null : (
      <AssistantPrompt
        id="ask-mend"
        text={`For ${at.event.name}: check the configuration and fix everything that prevents publishing. List what you changed.`}
      />
    )}
  </div>
)

/** The card that shows the effects of publishing, directly above the button. */
const PublishCard = (props: {
  at: EventPageContext
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
    <ConfirmForm
      title="Publish"
      action={`${at.base}/draft/publish`}
      csrf={csrf}
      hidden={{ revision: draft.facts.draftRevision }}
      condition="If you publish:"
      effects={describeOutcome(outcome, draft, unfinished)}
      fields={
        <>
          {warnings.length > 0 ? (
            <Notice tone="warning">
              <details open={warnings.length <= MAX_UNFOLDED_WARNINGS}>
                <summary>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</summary>
                <IssueList config={draft.config} issues={warnings} />
              </details>
            </Notice>
          ) : null}
          <Input
            name="note"
            label="Note"
            optional="(optional)"
            value={form['note']}
            maxlength={500}
            autocomplete="off"
            help="Describe this version for your colleagues"
          />
        </>
      }
      submit={`Publish version ${outcome.version}`}
      tone="primary"
      more={
        live !== null && at.permissions.has('events.write') ? (
          <a class="button danger" href={`${at.base}/versions/${live}/restore`}>
            Discard draft…
          </a>
        ) : null
      }
    />
  )
}

/** `…/draft`: shows and publishes the unpublished changes. */
export function eventDraftPages(web: WebServices) {
  async function page(c: WebContext, at: EventPageContext, form: FormValues = {}, formErrors: FormErrors | null = null) {
    const draft = await readDraftConfiguration(at.reading)
    const { changes, total } = await describeDifferences(
      at.reading,
      { from: 'live', to: 'draft', most: MAX_LISTED_CHANGES },
      countChangeImpacts,
    )
    const edits = await findLastEdits(
      at.reading,
      changes.map(({ path }) => path),
    )
    const mayPublish = at.permissions.has('events.publish')
    const isNew = draft.facts.publishedVersion === null
    const preview = mayPublish && (total > 0 || isNew) ? await dryRun(web, at) : null
    const unfinished =
      preview && 'outcome' in preview && at.permissions.has('registration.read')
        ? (await getRegistrationSummary(at.reading, { includeTestData: false })).participants.incomplete
        : null
    const shown = renderContentPage(
      {
        title: `Draft of ${at.event.name}`,
        heading: 'Draft',
        text: isNew ? 'This event is not live yet.' : `Compared with the live version ${draft.facts.publishedVersion}.`,
        crumbs: [{ href: at.base, label: at.event.name }],
        formErrors,
      },
      <>
        {mayPublish ? null : <Notice>You can view the draft. To publish it, you need the events.publish permission.</Notice>}
        {preview && 'refusal' in preview ? <PublishErrors refusal={preview.refusal} at={at} config={draft.config} /> : null}
        <Card
          title={isNew ? 'Contents of the draft' : 'Unpublished changes'}
          actions={total > 0 ? <StatusLabel tone="accent">{formatChangeCount(total)}</StatusLabel> : null}
        >
          {total === 0 ? (
            <p class="muted">
              {isNew ? (
                <>
                  The draft is empty. Begin with the <a href={at.base}>setup tasks</a>.
                </>
              ) : (
                'There are no unpublished changes.'
              )}
            </p>
          ) : (
            <ChangeList changes={changes} currency={at.event.currency} edits={edits} />
          )}
          {total > changes.length ? (
            <>
              <p class="muted lead-out">{`The other ${total - changes.length} changes are not listed here.`}</p>
              <AssistantPrompt id="ask-changes" text={`List all changes in the draft of ${at.event.name}.`} />
            </>
          ) : null}
        </Card>
        {preview && 'outcome' in preview ? (
          <PublishCard at={at} draft={draft} outcome={preview.outcome} unfinished={unfinished} csrf={getCsrfToken(web, c)} form={form} />
        ) : null}
        {preview && 'outcome' in preview ? null : <LinkButton href={at.base}>Back to event</LinkButton>}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'draft'), shown)
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => page(c, await getEventPageContext(web, c, 'events.read')))
    .post(`${PATH}/publish`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'events.publish')
      const read = validateFormFields(
        PublishInput,
        { note: form['note']?.trim() || undefined, revision: Number(form['revision']) },
        labelOf,
      )
      if ('errors' in read) return page(c, at, form, read)
      const { note, revision } = read.data
      const formErrors = await catchFormErrors(
        () => runEventChange(web, at, 'publish_event', (ctx) => publishEvent(ctx, { note, ifRevision: revision, acceptWarnings: true })),
        () => '',
      )
      if (formErrors?.reason === 'movedOn')
        return page(c, at, form, {
          message: 'Another user changed the draft in the meantime. Review the changes again, then publish.',
        })
      if (formErrors) return page(c, at, form, formErrors)
      return c.redirect(`${at.base}?done=published`, 303)
    })
}
