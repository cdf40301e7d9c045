import { AppError } from '../../../kernel/errors.ts'
import { findSubmitter } from '../../../domains/submissions/emails.ts'
import { readAnswerFiles } from '../../../domains/submissions/proposal-files.ts'
import { changeOwnProposal, type OwnSubmission } from '../../../domains/submissions/public.ts'
import { type FieldErrors, Form, LinkButton } from '../components/forms.tsx'
import { sendExpiredPage } from '../error-pages.tsx'
import { MainColumn, showEventPage, toFormErrors } from '../event/event-layout.tsx'
import { toSignedInVisitorActor } from '../event/person.ts'
import { runChangeFromEventPage, createPublicEventContext, type EventSite } from '../event/event-site.ts'
import { toFormValues } from '../form-values.ts'
import { commitThenDeleteUnusedUploads } from '../uploads.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import {
  preserveProposalUploads,
  createProposalFieldErrors,
  toProposalFieldErrors,
  type ProposalFormState,
  readProposalForm,
  readProposalTexts,
  type SubmittedProposalForm,
  SessionFields,
} from './proposal-form.tsx'

interface EditedProposal {
  token: string
  row: OwnSubmission['row']
}

/** Converts the stored proposal to values of the form. */
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
export async function showProposalEditForm(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  edited: EditedProposal,
  sent: ProposalFormState = { values: toValues(edited.row), errors: [] },
): Promise<Response> {
  const { token, row } = edited
  const { say } = site.words
  const state = { ...sent, files: await readFiles(web, site, edited) }
  const isDraft = row.status === 'draft'
  return showEventPage(
    web,
    c,
    site,
    { title: say('papers.change'), referrer: 'no-referrer', status: state.errors.length > 0 ? 400 : 200 },
    <div class="checkout narrow">
      <MainColumn title={say('papers.change')} text={row.number} formErrors={toFormErrors(site, state.errors)}>
        <Form action={`${site.paths.speaker(token)}/edit`} csrf={getCsrfToken(web, c)} class="stack" files>
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

/** Reads the stored files of the proposal, by the code of their question. */
async function readFiles(web: WebServices, site: EventSite, { row }: EditedProposal): Promise<NonNullable<ProposalFormState['files']>> {
  const files = await readAnswerFiles(createPublicEventContext(web, site), row)
  return new Map(
    Object.entries(row.answers).flatMap(([code, value]) => (files.has(String(value)) ? [[code, files.get(String(value))!]] : [])),
  )
}

/** Saves a proposal from the form that `showProposalEditForm` shows. */
export async function saveProposalEdit(web: WebServices, c: WebContext, site: EventSite, edited: EditedProposal): Promise<Response> {
  const sent = await readProposalForm(web, c, site)
  if (!sent) return sendExpiredPage(web, c)
  return (await commitThenDeleteUnusedUploads(web, site, sent.files, () => saveSent(web, c, site, edited, sent))).page
}

async function saveSent(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  edited: EditedProposal,
  { form, uploads, errors }: SubmittedProposalForm,
) {
  const { token, row } = edited
  const submits = form['do'] === 'submit'
  // The form of a submitted proposal does not contain track and format, so the stored values are used.
  if (row.status !== 'draft') Object.assign(form, { trackCode: row.track_code, formatCode: row.format_code })
  const refuse = async (refused: FieldErrors) => ({
    page: await showProposalEditForm(web, c, site, edited, {
      values: form,
      errors: refused,
      kept: preserveProposalUploads(web, site, uploads),
    }),
    keepsUploads: true,
    deletedFiles: [],
  })
  const read = readProposalTexts(site, form, row.status === 'draft' && !submits)
  if ('paths' in read || errors.length > 0)
    return refuse([...createProposalFieldErrors(site, form, 'paths' in read ? read.paths : []), ...errors])
  const submitter = await findSubmitter(createPublicEventContext(web, site), row.id)
  try {
    const by = { action: 'change_own_proposal', actor: toSignedInVisitorActor(site, submitter?.email ?? '') }
    const deletedFiles = await runChangeFromEventPage(web, site, by, (ctx) =>
      changeOwnProposal(ctx, row, read.session, { submits, uploads }),
    )
    return { page: c.redirect(`${site.paths.speaker(token)}?saved=yes`, 303), deletedFiles }
  } catch (error) {
    if (!(error instanceof AppError) || !error.details.fields) throw error
    return refuse(toProposalFieldErrors(site, form, error.details.fields))
  }
}
