import { changeSharing } from '../../../domains/registration/change-sharing.ts'
import { getParticipant } from '../../../domains/registration/people.ts'
import { leadFieldsOf } from '../../../domains/configuration/sharing.ts'
import { Button, Checkbox, Form } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { eventPagesOf } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import { SHARE_CHOICES, ShareField } from '../event/share-field.tsx'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { changeOwn, forOwner, type Own, showOwn, whenOwnerSends } from './own.tsx'

const PATH = `${AT_EVENT}/registration/sharing`

/** `…/registration/sharing`: what exhibitors and other participants see of somebody, field by field. */
export function ownSharingPages(web: Web) {
  const page = (c: WebContext, own: Own): Promise<Response> => {
    const { place, row } = own
    const { say } = place.words
    return showOwn(
      web,
      c,
      own,
      { title: say('mine.sharing') },
      <div class="checkout-main">
        <h1>{say('mine.sharing')}</h1>
        <p class="lead">{say('sharing.lead')}</p>
        <Form action={`${place.paths.myRegistration}/sharing`} csrf={csrfFor(web, c)} class="checkout-main">
          <Card title={say('sharing.exhibitors')}>
            <div class="stack">
              {leadFieldsOf(place.config, row.sharing).map((lead) => (
                <ShareField place={place} lead={lead} name={`field.${lead.field}`} />
              ))}
            </div>
          </Card>
          <Card title={say('sharing.others')}>
            <div class="stack">
              <Checkbox
                name="visible"
                label={say('sharing.findMe')}
                help={say('sharing.findMeHelp')}
                checked={row.visible_to_participants}
              />
              <fieldset class="question">
                <legend>{say('sharing.picture')}</legend>
                <div class="segments">
                  {(['headshot', 'avatar'] as const).map((choice) => (
                    <label>
                      <input type="radio" name="avatar" value={choice} checked={row.avatar_choice === choice} />
                      {say(`sharing.${choice}`)}
                    </label>
                  ))}
                </div>
              </fieldset>
            </div>
          </Card>
          <div>
            <Button tone="primary">{say('sharing.save')}</Button>
          </div>
        </Form>
      </div>,
    )
  }
  return eventPagesOf(web)
    .get(PATH, forOwner(web, page))
    .post(
      PATH,
      whenOwnerSends(
        web,
        ({ paths }) => `${paths.myRegistration}/sharing`,
        async (c, own, form): Promise<Response> => {
          const { place, row } = own
          const decided = leadFieldsOf(place.config, row.sharing).flatMap(({ field, always }) => {
            const choice = SHARE_CHOICES.find((one) => one === form[`field.${field}`])
            return always || choice === undefined ? [] : [[field, choice] as const]
          })
          await changeOwn(web, own, 'set_own_sharing', async (ctx) =>
            changeSharing(ctx, place.config, await getParticipant(ctx, row.id), {
              fields: Object.fromEntries(decided),
              visibleToParticipants: form['visible'] === 'on',
              avatarChoice: form['avatar'] === 'avatar' ? 'avatar' : 'headshot',
            }),
          )
          return c.redirect(`${own.place.paths.myRegistration}?done=saved`, 303)
        },
      ),
    )
}
