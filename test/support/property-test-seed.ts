import fc from 'fast-check'
import { soakSeed } from './soak.ts'

// Property tests use a fixed seed on every commit, so that no change fails by chance. Soak runs use a random one.
fc.configureGlobal({ seed: soakSeed(20_270_511) })
