export * from './viewcell.js';
