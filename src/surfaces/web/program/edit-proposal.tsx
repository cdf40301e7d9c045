import { AppError } from '../../../kernel/errors.ts'
import { findSubmitter } from '../../../domains/submissions/emails.ts'
import { changeOwnProposal, type OwnSubmission } from '../../../domains/submissions/public.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { sendExpiredPage } from '../error-pages.tsx'
import { MainColumn, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { toPersonActor } from '../event/person.ts'
import { changeAtEvent, eventContext, type EventSite } from '../event/event-site.ts'
import { toFormValues } from '../form-values.ts'
import { csrfFor, readOwnForm, type WebContext, type WebServices } from '../web.ts'
import { labelErrors, type ProposalState, readSession, SessionFields } from './proposal-form.tsx'

interface EditedProposal {
  token: string
  row: OwnSubmission['row']
}

/** The stored proposal as values of the form. */
function toValues(row: EditedProposal['row']) {
  const answers = Object.entries(row.answers).flatMap(([code, value]): [string, string][] => {
    const path = `answers.${code}`
    if (Array.isArray(value)) return value.map((one) => [path, String(one)])
    if (typeof value === 'boolean') return value ? [[path, 'on']] : []
    return value === null ? [] : [[path, String(value)]]
  })
  return toFormValues([
    ['title', row.title],
    ['abstract', row.abstract ?? ''],
    ['trackCode', row.track_code],
    ['formatCode', row.format_code],
    ['keywords', row.keywords.join(', ')],
    ...answers,
  ])
}

/** `…/speaker/<token>/edit`: the form that continues a draft, or changes a submitted proposal until the deadline. */
export function showProposalEdit(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  { token, row }: EditedProposal,
  state: ProposalState = { values: toValues(row), errors: [] },
) {
  const { say } = site.words
  const isDraft = row.status === 'draft'
  return showEventPage(
    web,
    c,
    site,
    { title: say('papers.change'), referrer: 'no-referrer', status: state.errors.length > 0 ? 400 : 200 },
    <div class="checkout">
      <MainColumn title={say('papers.change')} text={row.number} formErrors={toFormErrors(site, state.errors)}>
        <Form action={`${site.paths.speaker(token)}/edit`} csrf={csrfFor(web, c)} class="stack">
          <SessionFields site={site} state={state} hasCodes={isDraft} />
          <p class="row">
            {isDraft ? (
              <button type="submit" class="button primary large" name="do" value="submit">
                {say('papers.submit')}
              </button>
            ) : null}
            <button type="submit" class={isDraft ? 'button large' : 'button primary large'} name="do" value="save">
              {say(isDraft ? 'papers.saveDraft' : 'papers.saveChanges')}
            </button>
            <LinkButton href={site.paths.speaker(token)}>{say('papers.proposal')}</LinkButton>
          </p>
        </Form>
      </MainColumn>
    </div>,
  )
}

/** Saves the form of `showProposalEdit`. */
export async function saveProposalEdit(web: WebServices, c: WebContext, site: EventSite, edited: EditedProposal): Promise<Response> {
  const { token, row } = edited
  const form = await readOwnForm(web, c)
  if (!form) return sendExpiredPage(web, c)
  const submits = form['do'] === 'submit'
  // The codes of a submitted proposal are not in the form.
  if (row.status !== 'draft') Object.assign(form, { trackCode: row.track_code, formatCode: row.format_code })
  const refuse = (paths: readonly string[]) =>
    showProposalEdit(web, c, site, edited, { values: form, errors: labelErrors(site, form, paths) })
  const read = readSession(site, form, row.status === 'draft' && !submits)
  if ('paths' in read) return refuse(read.paths)
  const submitter = await findSubmitter(eventContext(web, site), row.id)
  try {
    await changeAtEvent(web, site, { action: 'change_own_proposal', actor: toPersonActor(site, submitter?.email ?? '') }, (ctx) =>
      changeOwnProposal(ctx, row, read.session, submits),
    )
    return c.redirect(`${site.paths.speaker(token)}?saved=yes`, 303)
  } catch (error) {
    if (!(error instanceof AppError) || !error.details.fields) throw error
    return refuse(error.details.fields.map(({ path }) => path))
  }
}
