import { resetToVersion } from '../../../../domains/authoring/reset.ts'
import { describeDifferences } from '../../../../domains/configuration/compare.ts'
import { readDraftConfiguration } from '../../../../domains/configuration/read.ts'
import { getConfigVersion } from '../../../../domains/configuration/versions.ts'
import { LinkButton } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { StatusLabel, Card } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { catchFormErrors, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../../web.ts'
import { issueConfirmToken, requireConfirmation } from '../confirmation.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getEventPageContext, type EventPageContext, runEventChange, CONSOLE_EVENT_PATH, previewEventChange } from './event-page.ts'
import { ChangeList, formatChangeCount, MAX_LISTED_CHANGES } from './changes.tsx'
import { readVersionNumber, type ConfigVersion, buildVersionBreadcrumbs } from './versions.tsx'

const restoreCall = (number: number, revision: number) => ({
  action: 'reset_to_version',
  of: `version ${number} over revision ${revision}`,
})

/** `…/versions/<number>/restore`: copies an old version into the draft. For the live version this discards the unpublished changes. */
export function versionRestorePages(web: WebServices) {
  async function restorePage(c: WebContext, at: EventPageContext, version: ConfigVersion, formErrors: FormErrors | null = null) {
    const { facts } = await readDraftConfiguration(at.reading)
    const { number, live } = version
    const revision = facts.draftRevision
    // The confirm token from the dry run of reset_to_version is valid only for the same change.
    const dryRun = await previewEventChange(web, at, 'reset_to_version', async (ctx) => ({
      ...(await resetToVersion(ctx, { version: number, ifRevision: revision })),
      confirmToken: await issueConfirmToken(ctx, restoreCall(number, revision)),
    }))
    // Discarding the draft lists its changes since the live version; restoring lists the changes from the draft to the old version.
    const sides = live ? { from: String(number), to: 'draft' } : { from: 'draft', to: String(number) }
    const { changes, total } = await describeDifferences(at.reading, { ...sides, most: MAX_LISTED_CHANGES })
    const head = { title: live ? 'Discard draft?' : `Restore version ${number}?`, crumbs: buildVersionBreadcrumbs(at), formErrors }
    const before = (
      <Card
        title={live ? 'Unpublished changes that will be lost' : 'What restoring changes in the draft'}
        actions={<StatusLabel tone={total > 0 ? 'warning' : 'success'}>{formatChangeCount(total)}</StatusLabel>}
      >
        {total === 0 ? (
          <p class="muted">{`The draft is identical to version ${number}. There is nothing to restore.`}</p>
        ) : (
          <ChangeList changes={changes} currency={at.event.currency} />
        )}
        {total > changes.length ? <p class="muted lead-out">{`and ${total - changes.length} more`}</p> : null}
      </Card>
    )
    const unchanged = (
      <>
        {before}
        <LinkButton href={at.base}>Back to event</LinkButton>
      </>
    )
    const counted = formatChangeCount(dryRun.changes.total)
    const shown =
      total === 0
        ? renderContentPage(head, unchanged)
        : renderChangePreviewPage({
            ...head,
            before,
            action: `${at.base}/versions/${number}/restore`,
            csrf: getCsrfToken(web, c),
            hidden: { revision, confirmToken: dryRun.confirmToken },
            condition: live ? 'If you discard it:' : 'If you restore it:',
            effects: live
              ? `the draft is reset to version ${number} (${counted}). The unpublished changes are lost permanently. Visitors see no change.`
              : `the draft is reset to version ${number} (${counted}). Unpublished changes are lost permanently. Visitors see no difference until you publish.`,
            submit: live ? `Discard ${counted}` : `Put version ${number} into the draft`,
            back: { href: at.base, label: 'Keep draft' },
          })
    return sendConsolePage(web, c, getNavigationPosition(at, 'versions'), shown)
  }

  return createConsoleRouter(web)
    .get(`${CONSOLE_EVENT_PATH}/versions/:number/restore`, async (c) => {
      const at = await getEventPageContext(web, c, 'events.write')
      return restorePage(c, at, await getConfigVersion(at.reading, readVersionNumber(c)))
    })
    .post(`${CONSOLE_EVENT_PATH}/versions/:number/restore`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'events.write')
      const version = await getConfigVersion(at.reading, readVersionNumber(c))
      const revision = Number(form['revision']) || 0
      const formErrors = await catchFormErrors(
        () =>
          runEventChange(web, at, 'reset_to_version', async (ctx) => {
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
