import { afterAll, beforeAll, it } from 'vitest'
import { decide, openStage, signedIn, type Stage } from '../oauth/flow.ts'
import { playPage } from '../support/page-play.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.end())

it('the page about OAuth is what an app and a server say to each other', async () => {
  const { served, olga } = stage
  const page = playPage('oauth', { served })
  page.know(encodeURIComponent('https://lanyard.example'), encodeURIComponent(served.baseUrl))
  await page.play('5. The person agrees')
  const returned = await decide(await signedIn(stage, olga.userId), page.last().headers.location)
  await page.play('6. Exchange the code for tokens')
  page.isExample('5. The person agrees', returned.href)
  await page.play()
  page.finish()
})
