import { updatePrivacySettings } from '../../../domains/registration/edit/change-sharing.ts'
import { getParticipant } from '../../../domains/registration/participant-rows.ts'
import { type LeadField, listLeadFields } from '../../../domains/configuration/sharing.ts'
import { getOwnRegistration } from '../../../domains/registration/own/own-registration.ts'
import { FormActions, Button, Checkbox, Form, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { MainColumn, createEventRouter } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, type EventSite } from '../event/event-site.ts'
import { LEAD_SHARING_CHOICES, LeadSharingField, getLeadFieldAnswerKey } from '../event/share-field.tsx'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import {
  runOwnRegistrationChange,
  withOwnRegistrationAccess,
  type OwnRegistrationAccess,
  showOwnRegistrationPage,
  handleOwnRegistrationPost,
  toRegistrantContext,
} from './own-access.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/registration/sharing`

const ShareFields = ({ site, leads }: { site: EventSite; leads: readonly LeadField[] }) => (
  <div class="stack">
    {leads.map((lead) => (
      <LeadSharingField site={site} lead={lead} name={`field.${lead.field}`} />
    ))}
  </div>
)

/** `…/registration/sharing`: the fields that exhibitors and other participants see, each with a choice. */
export function registrationSharingPages(web: WebServices) {
  const page = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const { site, row } = own
    const { say } = site.words
    const { answers } = await getOwnRegistration(toRegistrantContext(own))
    const answered = new Set(answers.map(({ binding }) => binding))
    const leads = listLeadFields(site.config, row.sharing).filter(({ always }) => !always)
    const unanswered = leads.filter((lead) => !answered.has(getLeadFieldAnswerKey(lead)))
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title: say('myRegistration.sharing') },
      <MainColumn title={say('myRegistration.sharing')} text={say('sharing.lead')}>
        <Form action={`${site.paths.myRegistration}/sharing`} csrf={getCsrfToken(web, c)} class="checkout-main">
          <Card title={say('sharing.exhibitors')}>
            <div class="stack">
              <p class="help">{say('register.sharingHelp')}</p>
              <ShareFields site={site} leads={leads.filter((lead) => !unanswered.includes(lead))} />
              {unanswered.length > 0 ? (
                <details class="fold">
                  <summary>{say('sharing.unanswered')}</summary>
                  <ShareFields site={site} leads={unanswered} />
                </details>
              ) : null}
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
          <FormActions>
            <Button tone="primary">{say('sharing.save')}</Button>
            <LinkButton href={site.paths.myRegistration} tone="quiet">
              {say('edit.discard')}
            </LinkButton>
          </FormActions>
        </Form>
      </MainColumn>,
    )
  }
  return createEventRouter(web)
    .get(PATH, withOwnRegistrationAccess(web, page))
    .post(
      PATH,
      handleOwnRegistrationPost(
        web,
        ({ paths }) => `${paths.myRegistration}/sharing`,
        async (c, own, form): Promise<Response> => {
          const { site, row } = own
          const decided = listLeadFields(site.config, row.sharing).flatMap(({ field, always }) => {
            const choice = LEAD_SHARING_CHOICES.find((one) => one === form[`field.${field}`])
            return always || choice === undefined ? [] : [[field, choice] as const]
          })
          await runOwnRegistrationChange(web, own, 'set_own_sharing', async (ctx) =>
            updatePrivacySettings(ctx, site.config, await getParticipant(ctx, row.id), {
              fields: Object.fromEntries(decided),
              visibleToParticipants: form['visible'] === 'on',
              avatarChoice: form['avatar'] === 'avatar' ? 'avatar' : 'headshot',
            }),
          )
          return c.redirect(`${own.site.paths.myRegistration}?done=saved`, 303)
        },
      ),
    )
}
