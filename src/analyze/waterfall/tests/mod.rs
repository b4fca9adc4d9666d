mod fixture;
mod many;
mod properties;
mod reference;
mod rows;
mod storage;
mod tables;
