import { resetToVersion } from '../../../../domains/authoring/reset.ts'
import { describeDifferences } from '../../../../domains/configuration/compare.ts'
import { readDraft } from '../../../../domains/configuration/read.ts'
import { getVersion } from '../../../../domains/configuration/versions.ts'
import { Actions, Button, ErrorSummary, Form, LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Badge, Card } from '../../components/parts.tsx'
import { tryChange, type FormErrors } from '../../fields.ts'
import { csrfFor, type Web, type WebContext } from '../../web.ts'
import { issueConfirmToken, requireConfirmation } from '../confirmation.ts'
import { consolePages, getForm, sendConsolePage } from '../frame.tsx'
import { getEventPage, type EventPageContext, changeEvent, EVENT_PATH, previewEventChange } from './event-page.ts'
import { ChangeList, formatChangeCount, MAX_LISTED_CHANGES } from './changes.tsx'
import { readVersionNumber, type Version, versionFrame } from './versions.tsx'

const restoreCall = (number: number, revision: number) => ({ action: 'reset_to_version', of: `version ${number} over revision ${revision}` })

/** `…/versions/<number>/restore`: copies an old version into the draft. For the live version this discards the unpublished changes. */
export function restorePages(web: Web) {
  async function restorePage(c: WebContext, at: EventPageContext, version: Version, formErrors: FormErrors | null = null) {
    const { facts } = await readDraft(at.reading)
    const { number, live } = version
    const revision = facts.draftRevision
    // The dry run of reset_to_version: the change is made, counted and rolled back. Its confirm token is valid only for the same change.
    const dryRun = await previewEventChange(web, at, 'reset_to_version', async (ctx) => ({
      ...(await resetToVersion(ctx, { version: number, ifRevision: revision })),
      confirmToken: await issueConfirmToken(ctx, restoreCall(number, revision)),
    }))
    const { changes, total } = await describeDifferences(at.reading, { from: 'draft', to: String(number), most: MAX_LISTED_CHANGES })
    const title = live ? 'Discard draft?' : `Restore version ${number}?`
    return sendConsolePage(
      web,
      c,
      { ...versionFrame(at, title), status: formErrors ? 400 : 200 },
      <>
        <Heading
          title={title}
          crumbs={[
            { href: at.base, label: at.event.name },
            { href: `${at.base}/versions`, label: 'Versions' },
          ]}
        />
        <ErrorSummary {...formErrors} />
        <Card title="Changes to the draft" actions={<Badge tone={total > 0 ? 'warning' : 'success'}>{formatChangeCount(total)}</Badge>}>
          {total === 0 ? (
            <p class="muted">{`The draft is identical to version ${number}. There is nothing to restore.`}</p>
          ) : (
            <ChangeList changes={changes} />
          )}
          {total > changes.length ? <p class="muted lead-out">{`and ${total - changes.length} more`}</p> : null}
        </Card>
        {total === 0 ? (
          <LinkButton href={at.base}>Back to event</LinkButton>
        ) : (
          <Card>
            <Form action={`${at.base}/versions/${number}/restore`} csrf={csrfFor(web, c)} class="stack">
              <input type="hidden" name="revision" value={String(revision)} />
              <input type="hidden" name="confirmToken" value={dryRun.confirmToken} />
              <p class="outcome">
                <strong>{live ? 'If you discard it:' : 'If you restore it:'}</strong>{' '}
                {`the draft is reset to version ${number} (${formatChangeCount(dryRun.changes.total)}). Unpublished changes are lost permanently. Visitors see no difference until you publish.`}
              </p>
              <Actions>
                <Button tone="danger primary">
                  {live ? `Discard ${formatChangeCount(dryRun.changes.total)}` : `Put version ${number} into the draft`}
                </Button>
                <LinkButton href={at.base}>Keep draft</LinkButton>
              </Actions>
            </Form>
          </Card>
        )}
      </>,
    )
  }

  return consolePages(web)
    .get(`${EVENT_PATH}/versions/:number/restore`, async (c) => {
      const at = await getEventPage(web, c, 'events.write')
      return restorePage(c, at, await getVersion(at.reading, readVersionNumber(c)))
    })
    .post(`${EVENT_PATH}/versions/:number/restore`, async (c) => {
      const form = await getForm(web, c)
      const at = await getEventPage(web, c, 'events.write')
      const version = await getVersion(at.reading, readVersionNumber(c))
      const revision = Number(form['revision']) || 0
      const formErrors = await tryChange(
        () =>
          changeEvent(web, at, 'reset_to_version', async (ctx) => {
            await resetToVersion(ctx, { version: version.number, ifRevision: revision })
            await requireConfirmation(ctx, restoreCall(version.number, revision), form['confirmToken'])
          }),
        () => '',
      )
      if (formErrors?.reason === 'movedOn' || formErrors?.reason === 'unconfirmed')
        return restorePage(c, at, version, {
          message: 'The draft has changed or your confirmation has expired. Review the changes again.',
        })
      if (formErrors) return restorePage(c, at, version, formErrors)
      return c.redirect(`${at.base}?done=restored`, 303)
    })
}
