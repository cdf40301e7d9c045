import { resetToVersion } from '../../../../domains/authoring/reset.ts'
import { tellDifferences } from '../../../../domains/configuration/compare.ts'
import { readDraft } from '../../../../domains/configuration/read.ts'
import { getVersion } from '../../../../domains/configuration/versions.ts'
import { Actions, Button, ErrorSummary, Form, LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Badge, Card } from '../../components/parts.tsx'
import { attempt, type Refused } from '../../fields.ts'
import { csrfFor, type Web, type WebContext } from '../../web.ts'
import { confirmationOf, demandConfirmation } from '../confirming.ts'
import { consolePages, formOf, frame } from '../frame.tsx'
import { atEvent, type AtEvent, changeAtEvent, EVENT_PATH, previewAtEvent } from './at-event.ts'
import { Changes, changesInWords, MOST_CHANGES } from './changes.tsx'
import { numberIn, type Version, versionFrame } from './versions.tsx'

const restoring = (number: number, revision: number) => ({ action: 'reset_to_version', of: `version ${number} over revision ${revision}` })

/** `…/versions/<number>/restore`: an old version into the draft, or the live one, which discards what was edited since. */
export function restorePages(web: Web) {
  async function restorePage(c: WebContext, at: AtEvent, version: Version, refused: Refused | null = null) {
    const { facts } = await readDraft(at.reading)
    const { number, live } = version
    const revision = facts.draftRevision
    // The dry run of reset_to_version: done, counted and undone, and what it gives is good for exactly that.
    const dryRun = await previewAtEvent(web, at, 'reset_to_version', async (ctx) => ({
      ...(await resetToVersion(ctx, { version: number, ifRevision: revision })),
      confirmToken: await confirmationOf(ctx, restoring(number, revision)),
    }))
    const { changes, total } = await tellDifferences(at.reading, { from: 'draft', to: String(number), most: MOST_CHANGES })
    const title = live ? 'Discard the draft?' : `Go back to version ${number}?`
    return frame(
      web,
      c,
      { ...versionFrame(at, title), status: refused ? 400 : 200 },
      <>
        <Heading
          title={title}
          crumbs={[
            { href: at.base, label: at.event.name },
            { href: `${at.base}/versions`, label: 'Versions' },
          ]}
        />
        <ErrorSummary {...refused} />
        <Card title="What happens to the draft" actions={<Badge tone={total > 0 ? 'warning' : 'success'}>{changesInWords(total)}</Badge>}>
          {total === 0 ? (
            <p class="muted">{`The draft is as version ${number} already: there is nothing to do.`}</p>
          ) : (
            <Changes changes={changes} />
          )}
          {total > changes.length ? <p class="muted lead-out">{`and ${total - changes.length} more`}</p> : null}
        </Card>
        {total === 0 ? (
          <LinkButton href={at.base}>Back to the event</LinkButton>
        ) : (
          <Card>
            <Form action={`${at.base}/versions/${number}/restore`} csrf={csrfFor(web, c)} class="stack">
              <input type="hidden" name="revision" value={String(revision)} />
              <input type="hidden" name="confirmToken" value={dryRun.confirmToken} />
              <p class="outcome">
                <strong>{live ? 'If you discard it:' : 'If you go back:'}</strong>{' '}
                {`the draft becomes version ${number} again, by ${changesInWords(dryRun.changes.total)}. What it holds now and was never published is lost for good. Visitors see no difference until the next publish.`}
              </p>
              <Actions>
                <Button tone="danger primary">
                  {live ? `Discard ${changesInWords(dryRun.changes.total)}` : `Put version ${number} into the draft`}
                </Button>
                <LinkButton href={at.base}>Keep the draft</LinkButton>
              </Actions>
            </Form>
          </Card>
        )}
      </>,
    )
  }

  return consolePages(web)
    .get(`${EVENT_PATH}/versions/:number/restore`, async (c) => {
      const at = await atEvent(web, c, 'events.write')
      return restorePage(c, at, await getVersion(at.reading, numberIn(c)))
    })
    .post(`${EVENT_PATH}/versions/:number/restore`, async (c) => {
      const form = await formOf(web, c)
      const at = await atEvent(web, c, 'events.write')
      const version = await getVersion(at.reading, numberIn(c))
      const revision = Number(form['revision']) || 0
      const refused = await attempt(
        () =>
          changeAtEvent(web, at, 'reset_to_version', async (ctx) => {
            await resetToVersion(ctx, { version: version.number, ifRevision: revision })
            await demandConfirmation(ctx, restoring(version.number, revision), form['confirmToken'])
          }),
        () => '',
      )
      if (refused?.reason === 'movedOn' || refused?.reason === 'unconfirmed')
        return restorePage(c, at, version, {
          message: 'The draft is not what you were shown any more, or it is too long ago. Look again, then decide.',
        })
      if (refused) return restorePage(c, at, version, refused)
      return c.redirect(`${at.base}?done=restored`, 303)
    })
}
