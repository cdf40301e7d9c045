import { describe, expect, it } from 'vitest'
import { appSignedOutEmail } from '../../src/domains/oauth/emails.ts'
import { addedToClientEmail, invitationEmail, passwordResetEmail, signInLockedEmail } from '../../src/domains/sign-in/emails.ts'
import { chooseTranslator } from '../../src/kernel/language/translator.ts'
import { saveScreenshot, sharedBrowser, scrollsSideways, findSeriousProblems } from '../support/browser.ts'

const baseUrl = 'https://events.acme.example'
const link = `${baseUrl}/console/password?token=lpw_${'x'.repeat(43)}`
const invited = { link, inviter: 'Olga Organizer', place: 'Acme Events' }

const mailsIn = (language: string) => {
  const setting = { words: chooseTranslator(language), baseUrl }
  return {
    reset: passwordResetEmail.render({ link }, setting),
    invitation: invitationEmail.render(invited, setting),
    added: addedToClientEmail.render(invited, setting),
    locked: signInLockedEmail.render({}, setting),
    signedOut: appSignedOutEmail.render({ app: 'Claude' }, setting),
  }
}

const SIZES = [390, 640].map((width) => ({ width, height: 700 }))

describe.each(['en', 'de'])('built-in emails in %s', (language) => {
  it('sends accessible built-in emails that fit the window in light and dark and load nothing from other hosts', async () => {
    const page = await (await sharedBrowser()).newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    for (const [name, { html }] of Object.entries(mailsIn(language))) {
      await page.setContent(html!)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const size of SIZES) {
          await page.setViewportSize(size)
          await saveScreenshot(page, `mail-${name}-${language}-${size.width}-${colorScheme}`)
          expect([name, await scrollsSideways(page)]).toEqual([name, false])
        }
        expect([name, colorScheme, await findSeriousProblems(page)]).toEqual([name, colorScheme, []])
      }
    }
    expect(asked).toEqual([])
    await page.close()
  })
})
