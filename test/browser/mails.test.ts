import { describe, expect, it } from 'vitest'
import { appSignedOut } from '../../src/domains/oauth/mails.ts'
import { addedToClient, invitation, passwordReset, signInLocked } from '../../src/domains/sign-in/mails.ts'
import { wordsIn } from '../../src/kernel/language/words.ts'
import { keepScreenshot, sharedBrowser, scrollsSideways, seriousFindings } from '../support/browser.ts'

const baseUrl = 'https://events.acme.example'
const link = `${baseUrl}/console/password?token=lpw_${'x'.repeat(43)}`
const invited = { link, inviter: 'Olga Organizer', place: 'Acme Events' }

const mailsIn = (language: string) => {
  const setting = { words: wordsIn(language), baseUrl }
  return {
    reset: passwordReset.render({ link }, setting),
    invitation: invitation.render(invited, setting),
    added: addedToClient.render(invited, setting),
    locked: signInLocked.render({}, setting),
    signedOut: appSignedOut.render({ app: 'Claude' }, setting),
  }
}

const SIZES = [390, 640].map((width) => ({ width, height: 700 }))

describe.each(['en', 'de'])('in %s', (language) => {
  it('every mail of ours fits, can be read by everybody, light and dark, and asks nobody else', async () => {
    const page = await (await sharedBrowser()).newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    for (const [name, { html }] of Object.entries(mailsIn(language))) {
      await page.setContent(html!)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const size of SIZES) {
          await page.setViewportSize(size)
          await keepScreenshot(page, `mail-${name}-${language}-${size.width}-${colorScheme}`)
          expect([name, await scrollsSideways(page)]).toEqual([name, false])
        }
        expect([name, colorScheme, await seriousFindings(page)]).toEqual([name, colorScheme, []])
      }
    }
    expect(asked).toEqual([])
    await page.close()
  })
})
