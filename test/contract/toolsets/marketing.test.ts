import { describeContract } from '../contract.ts'

describeContract('marketing')
