import fc from 'fast-check'
import { seed } from './soak.ts'

// What is drawn by lot is the same on every commit, so that nobody's change fails by chance; every soak draws anew.
fc.configureGlobal({ seed: seed(20_270_511) })
