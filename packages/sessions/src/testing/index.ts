export { checkStore, type OpenStore, type RegisterTest, type StoreFinding, testStore } from './test-store.ts';
