mod fixture;
mod properties;
mod reference;
mod speed;
mod tables;
